# One shortcut between two leaves. `make demo` applies this configuration.

terraform {
  required_providers {
    liqo = {
      source = "leafmesh/liqo"
    }
  }
}

variable "kubeconfig" {
  description = "Path of a kubeconfig with a context for each of the two leaves."
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
  description = "The client's CIDRs, and the CIDRs that the server remaps them to."
  value       = liqo_shortcut.demo.client_network
}

output "server_network" {
  description = "The server's CIDRs, and the CIDRs that the client remaps them to."
  value       = liqo_shortcut.demo.server_network
}
