# A shortcut to a cluster that the same configuration creates. An apply that replaces the cluster replaces the shortcut.

terraform {
  required_providers {
    liqo = {
      source = "leafmesh/liqo"
    }
  }
}

# Creates a cluster, and installs Liqo in it.
module "milan" {
  source = "./cluster"
}

provider "liqo" {
  config_path = "~/.kube/config"

  clusters = {
    rome  = { config_context = "rome" }
    milan = { config_content = module.milan.kubeconfig }
  }
}

# Changes when the cluster is replaced. Terraform accepts no output of a module in replace_triggered_by.
resource "terraform_data" "milan" {
  input = module.milan.id
}

resource "liqo_shortcut" "rome_milan" {
  client = "rome"
  server = "milan"

  abandon_lost_cluster = true # nobody can clean the cluster that was replaced

  lifecycle {
    replace_triggered_by = [terraform_data.milan]
  }
}
