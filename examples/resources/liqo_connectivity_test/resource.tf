resource "liqo_shortcut" "rome_milan" {
  client         = "rome"
  server         = "milan"
  server_gateway = { service_type = "NodePort" }
}

# It runs after the shortcut, and again when the tunnel gets another endpoint, other keys or another MTU.
resource "liqo_connectivity_test" "rome_milan" {
  client = "rome"
  server = "milan"

  triggers = {
    shortcut = liqo_shortcut.rome_milan.id
    endpoint = jsonencode(liqo_shortcut.rome_milan.server_endpoint)
    keys     = liqo_shortcut.rome_milan.key_rotation_trigger
    mtu      = liqo_shortcut.rome_milan.mtu
  }
}

output "latency" {
  description = "In milliseconds: from pod to pod, and between the gateways."
  value = {
    pods   = liqo_connectivity_test.rome_milan.paths[*].latency_mean_ms
    tunnel = liqo_connectivity_test.rome_milan.tunnel_latency_ms
  }
}
