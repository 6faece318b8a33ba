# Rome's pods reach a database in Milan, and Milan's pods a web service in Rome. Nothing else crosses.

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

resource "liqo_shortcut" "rome_milan" {
  client = "rome"
  server = "milan"

  allow = [
    { to = "server", protocol = "TCP", port = 5432 },
    { to = "client", protocol = "TCP", port = 8000, end_port = 8080 },
    { to = "server", protocol = "ICMP" }, # pings
  ]

  server_gateway = {
    service_type = "NodePort"
  }
}
