# One resource of each type that is for Rome and Milan. The shortcut has the server's end of a pair, so the four
# resources of one end are for a cluster that does not exist.
resource "liqo_shortcut" "rome_milan" {
  client         = "rome"
  server         = "milan"
  server_gateway = { service_type = "NodePort" }
}

resource "liqo_configuration" "turin" {
  cluster           = "rome"
  remote_cluster_id = "turin"
  pod_cidrs         = ["10.220.0.0/16"]
  external_cidr     = "10.221.0.0/16"
}

resource "liqo_gateway_server" "turin" {
  cluster           = "rome"
  remote_cluster_id = "turin"
  service_type      = "NodePort"
}

resource "liqo_gateway_client" "turin" {
  cluster           = "milan"
  remote_cluster_id = "turin"
  server_address    = "192.0.2.1"
  server_port       = 51840
}

resource "liqo_public_key" "turin" {
  cluster           = "milan"
  remote_cluster_id = "turin"
  public_key        = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
}

resource "liqo_direct_service" "web" {
  cluster   = "rome"
  namespace = "default"
  name      = "web"
}
