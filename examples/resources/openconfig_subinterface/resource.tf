resource "openconfig_subinterface" "uplink" {
  device    = "leaf1"
  interface = "Ethernet1/1"
  index     = 0
  ipv4      = { enabled = true, addresses = { "192.0.2.1" = { prefix_length = 31 } } }
  ipv6      = { enabled = true, addresses = { "2001:db8::1" = { prefix_length = 127 } } }
}

# A loopback interface is not there by itself, so its subinterface refers to it.
resource "openconfig_interface" "loopback" {
  device = "leaf1"
  name   = "Loopback0"
  type   = "softwareLoopback"
}

resource "openconfig_subinterface" "loopback" {
  device    = "leaf1"
  interface = openconfig_interface.loopback.name
  index     = 0
  ipv4      = { enabled = true, addresses = { "10.0.0.1" = { prefix_length = 32 } } }
}
