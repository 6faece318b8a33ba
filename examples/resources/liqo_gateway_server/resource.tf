# Milan's gateway, at a port of Milan's nodes. Rome dials it.
resource "liqo_gateway_server" "rome" {
  cluster           = "milan"
  remote_cluster_id = "rome"
  service_type      = "NodePort"
}

# Send this to Rome's administrators.
output "milans_gateway" {
  value = {
    endpoint   = liqo_gateway_server.rome.endpoint
    public_key = liqo_gateway_server.rome.public_key
  }
}
