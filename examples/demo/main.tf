# One shortcut between two leaves: what `make demo` applies.

terraform {
  required_providers {
    liqo = {
      source = "leafmesh/liqo"
    }
  }
}

variable "kubeconfig" {
  description = "Path of a kubeconfig with one context for each of the two leaves."
  type        = string
}

variable "client" {
  description = "Context of the leaf that dials."
  type        = string
  default     = "rome"
}

variable "server" {
  description = "Context of the leaf that exposes the gateway."
  type        = string
  default     = "milan"
}

provider "liqo" {
  config_path = var.kubeconfig
}

resource "liqo_shortcut" "demo" {
  client = var.client
  server = var.server

  server_gateway = {
    service_type = "NodePort"
  }
}

output "status" {
  value = liqo_shortcut.demo.status
}

output "endpoint" {
  description = "Where the client dials the server's gateway."
  value       = liqo_shortcut.demo.server_endpoint
}

output "client_network" {
  description = "The client's CIDRs, and what they are remapped to in the server."
  value       = liqo_shortcut.demo.client_network
}

output "server_network" {
  description = "The server's CIDRs, and what they are remapped to in the client."
  value       = liqo_shortcut.demo.server_network
}
