# Both gateways get new keys every 30 days, with the first apply after that time.

terraform {
  required_providers {
    liqo = {
      source = "leafmesh/liqo"
    }
    time = {
      source = "hashicorp/time"
    }
  }
}

provider "liqo" {
  config_path = "~/.kube/config"
}

# It gets a new id when the time is over.
resource "time_rotating" "keys" {
  rotation_days = 30
}

resource "liqo_shortcut" "rome_milan" {
  client               = "rome"
  server               = "milan"
  key_rotation_trigger = time_rotating.keys.id

  server_gateway = {
    service_type = "NodePort"
  }
}
