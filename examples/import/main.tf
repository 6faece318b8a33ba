# Takes over what `liqoctl network connect` made. The block names what liqoctl was told, so that the import changes nothing. After the apply, the
# import block can go.

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
