# One of the data sources.

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

variable "view" {
  description = "The data source, without the provider's name."
  type        = string
}

variable "client" {
  description = "The leaf that dials."
  type        = string
}

variable "server" {
  description = "The leaf that exposes the gateway."
  type        = string
}

provider "liqo" {
  config_path = var.kubeconfig
}

data "liqo_cluster" "it" {
  count = var.view == "cluster" ? 1 : 0
  name  = var.client
}

data "liqo_shortcut" "it" {
  count  = var.view == "shortcut" ? 1 : 0
  client = var.client
  server = var.server
}

data "liqo_shortcuts" "it" {
  count    = var.view == "shortcuts" ? 1 : 0
  clusters = [var.client, var.server]
}

data "liqo_topology" "it" {
  count    = var.view == "topology" ? 1 : 0
  clusters = [var.client, var.server]
}
