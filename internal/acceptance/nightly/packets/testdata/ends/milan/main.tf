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

variable "rome" {
  type = object({ pod_cidr = string, external_cidr = string, public_key = string })
}

resource "liqo_configuration" "rome" {
  cluster           = "milan"
  remote_cluster_id = "rome"
  pod_cidrs         = [var.rome.pod_cidr]
  external_cidr     = var.rome.external_cidr
}

resource "liqo_public_key" "rome" {
  cluster           = "milan"
  remote_cluster_id = "rome"
  public_key        = var.rome.public_key
}

resource "liqo_gateway_server" "rome" {
  cluster           = "milan"
  remote_cluster_id = "rome"
  service_type      = "NodePort"
}
