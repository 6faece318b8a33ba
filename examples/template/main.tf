# Milan's gateway runs only on the nodes that the internet reaches. Before the first apply:
#
#   kubectl --context milan label node edge-1 example.com/edge=true
#   ./template.sh

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

  server_gateway = {
    service_type = "NodePort"

    # A plan fails if Milan has no such template.
    template = {
      name = "wireguard-server-edge"
    }
  }
}
