# A kubeconfig file for each leaf, under names of your own.

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
