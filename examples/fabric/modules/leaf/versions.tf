terraform {
  required_providers {
    openconfig = {
      source = "terraform-openconfig/openconfig"
    }
  }
}
