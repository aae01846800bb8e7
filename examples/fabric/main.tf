# A small fabric: two spines, two leaves, a BGP underlay between them.
#
# All devices are in one provider block, so one process keeps the order of what
# is written to each. No resource in the modules refers to another one: the
# device's lock writes interfaces, VLANs and subinterfaces before BGP, and peer
# groups before their neighbors. Run with a -parallelism of at least the number
# of resources, and that order is complete.

terraform {
  required_version = ">= 1.11"
  required_providers {
    openconfig = {
      source = "terraform-openconfig/openconfig"
    }
  }
}

# User name, password and TLS settings come from the environment, such as
# OPENCONFIG_USERNAME, OPENCONFIG_PASSWORD and OPENCONFIG_TLS_CA_CERT.
provider "openconfig" {
  devices = { for name, address in var.addresses : name => { address = address } }
}

locals {
  spines = {
    spine1 = { number = 0, as = 65000, router_id = "10.0.0.1" }
    spine2 = { number = 1, as = 65000, router_id = "10.0.0.2" }
  }
  leaves = {
    leaf1 = { number = 0, as = 65101, router_id = "10.0.1.1" }
    leaf2 = { number = 1, as = 65102, router_id = "10.0.1.2" }
  }

  # Each pair of a spine and a leaf has a /31, of which the spine has the lower
  # address.
  links = {
    for pair in setproduct(keys(local.spines), keys(local.leaves)) : join("-", pair) => {
      spine  = pair[0]
      leaf   = pair[1]
      prefix = cidrsubnet("10.1.0.0/16", 15, 32 * local.spines[pair[0]].number + local.leaves[pair[1]].number)
    }
  }
}

module "spine" {
  source   = "./modules/spine"
  for_each = local.spines

  device    = each.key
  as        = each.value.as
  router_id = each.value.router_id
  downlinks = {
    for link in local.links : link.leaf => {
      port         = "Ethernet1/${1 + local.leaves[link.leaf].number}"
      address      = cidrhost(link.prefix, 0)
      peer_address = cidrhost(link.prefix, 1)
      peer_as      = local.leaves[link.leaf].as
    } if link.spine == each.key
  }
}

module "leaf" {
  source   = "./modules/leaf"
  for_each = local.leaves

  device    = each.key
  as        = each.value.as
  router_id = each.value.router_id
  uplinks = {
    for link in local.links : link.spine => {
      port         = "Ethernet1/${31 + local.spines[link.spine].number}"
      address      = cidrhost(link.prefix, 1)
      peer_address = cidrhost(link.prefix, 0)
    } if link.leaf == each.key
  }
  spine_as = 65000
  vlans    = var.vlans
  servers  = var.servers
}
