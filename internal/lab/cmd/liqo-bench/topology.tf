# The topology of all clusters of a kubeconfig.

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

provider "liqo" {
  config_path = var.kubeconfig
}

data "liqo_topology" "all" {}

output "edges" {
  value = length(data.liqo_topology.all.edges)
}
