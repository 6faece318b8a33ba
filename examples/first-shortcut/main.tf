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

# Rome dials. It reaches Milan's gateway at a port of Milan's nodes.
resource "liqo_shortcut" "rome_milan" {
  client = "rome"
  server = "milan"

  server_gateway = {
    service_type = "NodePort"
  }
}

# Where a pod in Rome reaches Milan's pods.
output "milan_seen_from_rome" {
  value = liqo_shortcut.rome_milan.server_network.remapped_pod_cidrs
}
