# A kubeconfig file for each leaf. You choose the names of the leaves.

terraform {
  required_providers {
    liqo = {
      source = "leafmesh/liqo"
    }
  }
}

provider "liqo" {
  clusters = {
    rome  = { config_path = "~/.kube/rome.yaml" }
    milan = { config_path = "~/.kube/milan.yaml", config_context = "milan" }
  }
}
