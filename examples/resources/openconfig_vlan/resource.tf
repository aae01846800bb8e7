resource "openconfig_vlan" "servers" {
  device           = "leaf1"
  network_instance = "DEFAULT"
  vlan_id          = 10
  name             = "servers"
}
