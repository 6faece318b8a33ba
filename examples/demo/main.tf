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

variable "test_packets" {
  description = "Whether pods of the two leaves send packets to each other."
  type        = bool
  default     = false
}

resource "liqo_connectivity_test" "demo" {
  count    = var.test_packets ? 1 : 0
  client   = var.client
  server   = var.server
  triggers = { shortcut = liqo_shortcut.demo.id }
}

output "status" {
  value = liqo_shortcut.demo.status
}

output "packets" {
  description = "How many packets between pods are answered, and in how many milliseconds."
  value = flatten([for test in liqo_connectivity_test.demo : [
    for path in test.paths : "${path.from_leaf} to ${path.to_leaf}: ${path.answered} of ${path.sent} in ${path.latency_mean_ms} ms"
  ]])
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
