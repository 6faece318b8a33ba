terraform {
  required_providers {
    liqo = {
      source = "leafmesh/liqo"
    }
  }
}

# A leaf's name in a resource is the name of its context in this kubeconfig.
provider "liqo" {
  config_path = "~/.kube/config"
}
