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

# All devices are in one provider block: the order of work on a device is that
# of one block. What stands outside devices holds for all of them, such as the
# profile, which says what system a device runs.
provider "openconfig" {
  profile  = "eos"
  username = "admin"
  password = var.password
  tls      = { ca_cert = "ca.pem" }

  # Runs on several hosts exclude each other by etcd, Redis or Kubernetes. The
  # default is a lock among the processes of this user on this host.
  lock = {
    timeout = "2m"
  }

  devices = {
    leaf1  = { address = "leaf1.example.net" }
    leaf2  = { address = "leaf2.example.net:6030" }
    spine1 = { address = "192.0.2.11", profile = "srlinux", username = "operator", set_timeout = "3m" }
  }
}
