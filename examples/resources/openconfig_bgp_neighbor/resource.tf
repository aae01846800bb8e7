# The password is sent to the device and stored nowhere else; a new version of
# it is sent again.
variable "bgp_password" {
  type      = string
  sensitive = true
  ephemeral = true
}

resource "openconfig_bgp" "underlay" {
  device           = "leaf1"
  network_instance = "DEFAULT"
  name             = "BGP"
  global           = { as = 65001, router_id = "10.0.0.1" }
}

resource "openconfig_bgp_peer_group" "spines" {
  device           = "leaf1"
  network_instance = "DEFAULT"
  protocol         = openconfig_bgp.underlay.name
  peer_group_name  = "spines"
  peer_as          = 65000
}

resource "openconfig_bgp_neighbor" "spine1" {
  device                = "leaf1"
  network_instance      = "DEFAULT"
  protocol              = openconfig_bgp.underlay.name
  neighbor_address      = "192.0.2.0"
  peer_group            = openconfig_bgp_peer_group.spines.peer_group_name
  description           = "spine1"
  enabled               = true
  auth_password         = var.bgp_password
  auth_password_version = 1
  afi_safis             = { IPV4_UNICAST = { enabled = true } }
}
