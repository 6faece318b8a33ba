# A shortcut, with a test in shortcut.tftest.hcl. `terraform test` connects the leaves, checks the shortcut and destroys
# it.

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

resource "liqo_shortcut" "rome_milan" {
  client         = "rome"
  server         = "milan"
  cidr_remapping = "forbid"

  server_gateway = {
    service_type = "NodePort"
  }
}
