resource "openconfig_interface" "uplink" {
  for_each = var.uplinks

  device      = var.device
  name        = each.value.port
  type        = "ethernetCsmacd"
  description = "to ${each.key}"
  mtu         = 9214
  enabled     = true
}

resource "openconfig_subinterface" "uplink" {
  for_each = var.uplinks

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

resource "openconfig_bgp_peer_group" "spines" {
  device           = var.device
  network_instance = "DEFAULT"
  protocol         = "BGP"
  peer_group_name  = "spines"
  peer_as          = var.spine_as
  timers           = { hold_time = 9, keepalive_interval = 3 }
  afi_safis        = { IPV4_UNICAST = { enabled = true } }
}

resource "openconfig_bgp_neighbor" "spine" {
  for_each = var.uplinks

  device           = var.device
  network_instance = "DEFAULT"
  protocol         = "BGP"
  neighbor_address = each.value.peer_address
  peer_group       = "spines"
  description      = each.key
  enabled          = true
}

resource "openconfig_vlan" "this" {
  for_each = var.vlans

  device           = var.device
  network_instance = "DEFAULT"
  vlan_id          = each.key
  name             = each.value
}

resource "openconfig_interface" "server" {
  for_each = var.servers

  device      = var.device
  name        = each.key
  type        = "ethernetCsmacd"
  description = each.value.description
  enabled     = true
  ethernet = {
    switched_vlan = {
      interface_mode = "TRUNK"
      native_vlan    = each.value.native_vlan
      trunk_vlans    = each.value.trunk_vlans
    }
  }
}
