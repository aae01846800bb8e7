variable "device" {
  description = "Name of the device in the provider's configuration."
  type        = string
}

variable "as" {
  description = "AS number of the spines."
  type        = number
}

variable "router_id" {
  description = "Router identifier of BGP."
  type        = string
}

variable "downlinks" {
  description = "Links to the leaves, by the leaf's name."
  type = map(object({
    port         = string
    address      = string
    peer_address = string
    peer_as      = number
  }))
}
