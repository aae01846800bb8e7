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
  timers           = { hold_time = 9, keepalive_interval = 3 }
  afi_safis        = { IPV4_UNICAST = { enabled = true } }
}
