variable "device" {
  description = "Name of the device in the provider's configuration."
  type        = string
}

variable "as" {
  description = "AS number of the leaf."
  type        = number
}

variable "router_id" {
  description = "Router identifier of BGP."
  type        = string
}

variable "uplinks" {
  description = "Links to the spines, by the spine's name."
  type = map(object({
    port         = string
    address      = string
    peer_address = string
  }))
}

variable "spine_as" {
  description = "AS number of the spines."
  type        = number
}

variable "vlans" {
  description = "Name of each VLAN, by its identifier."
  type        = map(string)
}

variable "servers" {
  description = "Trunks to servers, by the port."
  type = map(object({
    description = string
    native_vlan = number
    trunk_vlans = set(string)
  }))
}
