# Rome runs on EKS. A credential plugin prints a new token whenever one is needed. Milan is a context of the kubeconfig.

terraform {
  required_providers {
    liqo = {
      source = "leafmesh/liqo"
    }
  }
}

variable "rome" {
  description = "API server and CA certificate, in PEM, of the EKS cluster rome."
  type = object({
    host                   = string
    cluster_ca_certificate = string
  })
}

provider "liqo" {
  config_path = "~/.kube/config"

  clusters = {
    rome = {
      host                   = var.rome.host
      cluster_ca_certificate = var.rome.cluster_ca_certificate

      exec = {
        api_version = "client.authentication.k8s.io/v1beta1"
        command     = "aws"
        args        = ["eks", "get-token", "--cluster-name", "rome", "--output", "json"]
        env         = { AWS_PROFILE = "rome" }
      }
    }
  }
}
