# A picture of all connections, for a README or a wiki. Terraform writes the file:
#
#   terraform apply
#   terraform output -raw mermaid > topology.mmd

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
  clusters = ["europe", "rome", "milan"]
  central  = "europe"
}

output "mermaid" {
  value = data.liqo_topology.all.mermaid
}
