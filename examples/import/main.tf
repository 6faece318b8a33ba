# Takes over a network that `liqoctl network connect` made. The block has the settings that liqoctl was given, so the
# import changes nothing. After the apply, you can remove the import block.

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

import {
  to = liqo_shortcut.rome_milan
  id = "rome/milan" # client/server
}

resource "liqo_shortcut" "rome_milan" {
  client = "rome"
  server = "milan"

  server_gateway = {
    service_type = "NodePort"
  }
}
