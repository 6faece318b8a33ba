# Connects a hub and its leaves in one apply: Europe-Rome, Europe-Milan, and the shortcut Rome-Milan. Terraform's state,
# the record of all connections, is kept in Europe.

terraform {
  required_providers {
    liqo = {
      source = "leafmesh/liqo"
    }
  }

  # The state is the Secret tfstate-default-liqo. During an apply, the Lease lock-tfstate-default-liqo locks it.
  backend "kubernetes" {
    config_path    = "~/.kube/config"
    config_context = "europe"
    namespace      = "terraform"
    secret_suffix  = "liqo"
  }
}

provider "liqo" {
  config_path = "~/.kube/config"
}

locals {
  # name = { client = the cluster that dials, server = the cluster that exposes the gateway }
  networks = {
    europe-rome  = { client = "rome", server = "europe" }
    europe-milan = { client = "milan", server = "europe" }
    rome-milan   = { client = "rome", server = "milan" }
  }
}

resource "liqo_shortcut" "this" {
  for_each = local.networks

  client = each.value.client
  server = each.value.server

  server_gateway = {
    service_type = "NodePort"
  }
}

output "status" {
  value = { for name, shortcut in liqo_shortcut.this : name => shortcut.status }
}
