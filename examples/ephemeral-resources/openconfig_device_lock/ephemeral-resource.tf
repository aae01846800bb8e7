# Nobody else writes to these two while the run is under way.
ephemeral "openconfig_device_lock" "change" {
  devices       = ["leaf1", "leaf2"]
  reason        = "change 4711"
  expires_after = "30m"
}

resource "openconfig_vlan" "servers" {
  for_each         = toset(["leaf1", "leaf2"])
  device           = each.key
  network_instance = "DEFAULT"
  vlan_id          = 10
  name             = "servers"
  depends_on       = [ephemeral.openconfig_device_lock.change]
}
