resource "openconfig_interface" "downlink" {
  for_each = var.downlinks

  device      = var.device
  name        = each.value.port
  type        = "ethernetCsmacd"
  description = "to ${each.key}"
  mtu         = 9214
  enabled     = true
}

resource "openconfig_subinterface" "downlink" {
  for_each = var.downlinks

  device    = var.device
  interface = each.value.port
  index     = 0
  ipv4      = { enabled = true, addresses = { (each.value.address) = { prefix_length = 31 } } }
}

resource "openconfig_bgp" "underlay" {
  device           = var.device
  network_instance = "DEFAULT"
  name             = "BGP"
  global = {
    as                 = var.as
    router_id          = var.router_id
    afi_safis          = { IPV4_UNICAST = { enabled = true } }
    use_multiple_paths = { enabled = true, ebgp = { allow_multiple_as = true, maximum_paths = 4 } }
  }
}

resource "openconfig_bgp_peer_group" "leaves" {
  device           = var.device
  network_instance = "DEFAULT"
  protocol         = "BGP"
  peer_group_name  = "leaves"
  timers           = { hold_time = 9, keepalive_interval = 3 }
  afi_safis        = { IPV4_UNICAST = { enabled = true } }
}

resource "openconfig_bgp_neighbor" "leaf" {
  for_each = var.downlinks

  device           = var.device
  network_instance = "DEFAULT"
  protocol         = "BGP"
  neighbor_address = each.value.peer_address
  peer_group       = "leaves"
  peer_as          = each.value.peer_as
  description      = each.key
  enabled          = true
}
