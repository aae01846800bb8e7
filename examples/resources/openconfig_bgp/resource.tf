resource "openconfig_bgp" "underlay" {
  device           = "leaf1"
  network_instance = "DEFAULT"
  name             = "BGP"

  global = {
    as                 = 65001
    router_id          = "10.0.0.1"
    afi_safis          = { IPV4_UNICAST = { enabled = true } }
    use_multiple_paths = { enabled = true, ebgp = { maximum_paths = 4 } }
  }
}
