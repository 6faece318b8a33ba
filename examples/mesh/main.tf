# A full mesh: every leaf joined with every other. A leaf is added or removed by its name alone.

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
  # "rome-milan" = { client = "rome", server = "milan" }, and so on: of a pair, the one that stands first dials.
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
