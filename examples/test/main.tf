# A shortcut, and in shortcut.tftest.hcl a test of it: `terraform test` joins the leaves, looks, and takes them apart again.

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
