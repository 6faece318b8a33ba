# Any number of shortcuts between the leaves of a kubeconfig.

terraform {
  required_providers {
    liqo = {
      source = "leafmesh/liqo"
    }
  }
}

variable "kubeconfig" {
  description = "Path of a kubeconfig with one context for each leaf."
  type        = string
}

variable "shortcuts" {
  description = "The two leaves of each shortcut, by a name of its own."
  type        = map(object({ client = string, server = string }))
}

provider "liqo" {
  config_path = var.kubeconfig
}

resource "liqo_shortcut" "mesh" {
  for_each = var.shortcuts

  client = each.value.client
  server = each.value.server

  server_gateway = {
    service_type = "NodePort"
  }
}
