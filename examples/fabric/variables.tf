variable "addresses" {
  description = "Address of each device, as host or host:port."
  type        = map(string)
  default = {
    spine1 = "192.0.2.11"
    spine2 = "192.0.2.12"
    leaf1  = "192.0.2.21"
    leaf2  = "192.0.2.22"
  }
}

variable "vlans" {
  description = "Name of each VLAN of the leaves, by its identifier."
  type        = map(string)
  default = {
    "10" = "management"
    "20" = "storage"
    "30" = "tenants"
  }
}

variable "servers" {
  description = "Trunks to servers, the same on each leaf, by the port."
  type = map(object({
    description = string
    native_vlan = number
    trunk_vlans = set(string)
  }))
  default = {
    "Ethernet1/1" = { description = "hypervisor-a", native_vlan = 10, trunk_vlans = ["20", "30"] }
    "Ethernet1/2" = { description = "hypervisor-b", native_vlan = 10, trunk_vlans = ["20", "30"] }
    "Ethernet1/3" = { description = "storage-a", native_vlan = 10, trunk_vlans = ["20"] }
    "Ethernet1/4" = { description = "storage-b", native_vlan = 10, trunk_vlans = ["20"] }
  }
}
