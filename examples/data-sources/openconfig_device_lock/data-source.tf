data "openconfig_device_lock" "leaf1" {
  device = "leaf1"
}

output "leaf1_is_held_by" {
  value = data.openconfig_device_lock.leaf1.held ? data.openconfig_device_lock.leaf1.holder.run : null
}
