# Rome's gateway. It dials Milan's, whose endpoint Milan's administrators have sent.
resource "liqo_gateway_client" "milan" {
  cluster           = "rome"
  remote_cluster_id = "milan"
  server_address    = "203.0.113.10"
  server_port       = 51840
}

# Send this to Milan's administrators.
output "romes_gateway" {
  value = {
    public_key = liqo_gateway_client.milan.public_key
  }
}
