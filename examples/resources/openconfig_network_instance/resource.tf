resource "openconfig_network_instance" "tenant" {
  device              = "leaf1"
  name                = "tenant"
  type                = "L3VRF"
  description         = "routes of a tenant"
  route_distinguisher = "65001:10"
}
