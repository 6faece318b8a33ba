# A shortcut with keys of your own. Before the first apply, for rome and for milan:
#
#   kubectl --context rome create namespace shortcuts
#   ./keys.sh rome

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

# The Secrets are in a namespace of your own, because a destroy removes tenant namespaces with everything in them.
resource "liqo_shortcut" "rome_milan" {
  client           = "rome"
  server           = "milan"
  client_namespace = "shortcuts"
  server_namespace = "shortcuts"

  server_gateway = {
    service_type    = "NodePort"
    key_secret_name = "rome-milan-keys"
  }

  client_gateway = {
    key_secret_name = "rome-milan-keys"
  }
}
