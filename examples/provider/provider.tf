terraform {
  required_providers {
    openconfig = {
      source = "terraform-openconfig/openconfig"
    }
  }
}

variable "password" {
  type      = string
  sensitive = true
}

# All devices are in one provider block: what one block writes to a device is
# kept in order. What stands outside devices holds for all of them.
provider "openconfig" {
  username = "admin"
  password = var.password
  tls      = { ca_cert = "ca.pem" }

  devices = {
    leaf1  = { address = "leaf1.example.net" }
    leaf2  = { address = "leaf2.example.net:6030" }
    spine1 = { address = "192.0.2.11", username = "operator", set_timeout = "3m" }
  }
}
