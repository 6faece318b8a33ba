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

variable "milan" {
  type = object({ pod_cidr = string, external_cidr = string, public_key = string })
}

resource "liqo_configuration" "milan" {
  cluster           = "rome"
  remote_cluster_id = "milan"
  pod_cidrs         = [var.milan.pod_cidr]
  external_cidr     = var.milan.external_cidr
}

resource "liqo_public_key" "milan" {
  cluster           = "rome"
  remote_cluster_id = "milan"
  public_key        = var.milan.public_key
}

variable "endpoint" {
  type = string
}

resource "liqo_gateway_client" "milan" {
  cluster           = "rome"
  remote_cluster_id = "milan"
  server_address    = jsondecode(var.endpoint).addresses[0]
  server_port       = jsondecode(var.endpoint).port
}
