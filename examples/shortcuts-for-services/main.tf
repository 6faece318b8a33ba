# A shortcut for each pair of leaves whose pods could meet at a Service of Europe, and for no other one.

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

data "liqo_topology" "all" {
  clusters      = ["europe", "rome", "milan", "naples"]
  central       = "europe"
  include_pairs = true
}

resource "liqo_shortcut" "used" {
  for_each = { for p in data.liqo_topology.all.pairs : "${p.client}/${p.server}" => p if length(p.services) > 0 }

  client = each.value.client
  server = each.value.server

  server_gateway = {
    service_type = "NodePort"
  }
}

# Pods behind these Services meet over the shortcuts.
resource "liqo_direct_service" "used" {
  for_each = toset(flatten([for p in data.liqo_topology.all.pairs : [for s in p.services : "${s.namespace}/${s.name}"]]))

  cluster   = "europe"
  namespace = split("/", each.key)[0]
  name      = split("/", each.key)[1]

  depends_on = [liqo_shortcut.used]
}

# Shortcuts that no Service can use: two gateways each.
output "unused" {
  value = [for p in data.liqo_topology.all.pairs : "${p.client}/${p.server}" if p.has_shortcut && length(p.services) == 0]
}
