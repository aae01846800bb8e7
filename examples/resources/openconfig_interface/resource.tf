# A trunk to a server. The port is there already: it is taken over, and what is
# set here is taken back on destroy.
resource "openconfig_interface" "server" {
  device      = "leaf1"
  name        = "Ethernet1/2"
  type        = "ethernetCsmacd"
  description = "server"
  mtu         = 9000
  enabled     = true

  ethernet = {
    switched_vlan = {
      interface_mode = "TRUNK"
      native_vlan    = 10
      trunk_vlans    = ["10-20", "30"]
    }
  }
}

# A LAG of two ports.
resource "openconfig_interface" "lag" {
  device      = "leaf1"
  name        = "PortChannel1"
  type        = "ieee8023adLag"
  aggregation = { lag_type = "LACP", min_links = 1 }
}

resource "openconfig_interface" "member" {
  for_each = toset(["Ethernet1/3", "Ethernet1/4"])

  device   = "leaf1"
  name     = each.key
  type     = "ethernetCsmacd"
  ethernet = { aggregate_id = openconfig_interface.lag.name }
}
