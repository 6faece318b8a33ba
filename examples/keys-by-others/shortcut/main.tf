# The network team's part: a shortcut that does not give its gateways each other's key. Its user reads no keys.

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

# The apply does not wait for the tunnel. Until the keys are exchanged, the status is Connecting.
resource "liqo_shortcut" "rome_milan" {
  client     = "rome"
  server     = "milan"
  share_keys = false

  server_gateway = {
    service_type = "NodePort"
  }
}
