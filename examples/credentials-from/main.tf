# Only a kubeconfig of the central cluster, Europe, which is peered with Rome and Milan. Liqo in Europe keeps credentials
# for both. Rome and Milan must give these credentials permissions: see the guide "Permissions".

terraform {
  required_providers {
    liqo = {
      source = "leafmesh/liqo"
    }
  }
}

provider "liqo" {
  clusters = {
    europe = {} # the context "europe" of the kubeconfig
    rome   = { credentials_from = "europe" }
    milan  = { credentials_from = "europe" }
  }
}

resource "liqo_shortcut" "rome_milan" {
  client = "rome"
  server = "milan"

  server_gateway = { service_type = "NodePort" }
}
