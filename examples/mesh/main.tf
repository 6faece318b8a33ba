# A full mesh: every leaf is connected with every other one. To add or remove a leaf, add or remove its name.

terraform {
  required_providers {
    liqo = {
      source = "leafmesh/liqo"
    }
  }
}

provider "liqo" {
  config_path = "~/.kube/config"
}

resource "liqo_shortcut" "mesh" {
  # "milan-rome" = { client = "milan", server = "rome" }, and so on. The order of the list does not matter.
  for_each = provider::liqo::mesh(["rome", "milan", "naples"])

  client = each.value.client
  server = each.value.server

  server_gateway = {
    service_type = "NodePort"
  }
}

output "status" {
  value = { for name, shortcut in liqo_shortcut.mesh : name => shortcut.status }
}
