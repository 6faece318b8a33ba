# Any number of shortcuts between the leaves of a kubeconfig, or one of the data sources.

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

variable "shortcuts" {
  description = "The two leaves of each shortcut, by a name of its own."
  type        = map(object({ client = string, server = string }))
  default     = {}
}

variable "view" {
  description = "The data source, without the provider's name; none if empty."
  type        = string
  default     = ""
}

variable "client" {
  description = "The leaf that dials, for a data source. Without it, the topology is that of all leaves."
  type        = string
  default     = null
}

variable "server" {
  description = "The leaf that exposes the gateway, for a data source."
  type        = string
  default     = null
}

provider "liqo" {
  config_path = var.kubeconfig
}

resource "liqo_shortcut" "mesh" {
  for_each = var.shortcuts

  client = each.value.client
  server = each.value.server

  server_gateway = {
    service_type = "NodePort"
  }
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
  clusters = var.client == null ? null : [var.client, var.server]
}
