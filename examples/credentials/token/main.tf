# An address and a token for each leaf, for example of a service account. There is no kubeconfig.

terraform {
  required_providers {
    liqo = {
      source = "leafmesh/liqo"
    }
  }
}

variable "leaves" {
  description = "API server, CA certificate in PEM, and token of each leaf."
  type = map(object({
    host                   = string
    cluster_ca_certificate = string
    token                  = string
  }))
  sensitive = true
}

provider "liqo" {
  clusters = var.leaves
}
