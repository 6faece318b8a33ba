terraform {
  required_providers {
    liqo = {
      source = "leafmesh/liqo"
    }
  }
}

# Europe offloads pods to Rome and Milan. Its kubeconfig is enough: see "Credentials from the central cluster" in
# the provider's documentation.
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

  server_gateway = {
    service_type = "NodePort"
  }
}

# Pods of the Service web in Rome and Milan meet over the shortcut. A destroy first leads them through Europe again, and
# then removes the shortcut.
resource "liqo_direct_service" "web" {
  cluster   = "europe"
  namespace = "shop"
  name      = "web"

  depends_on = [liqo_shortcut.rome_milan]
}

# What does not go over a shortcut, and why.
output "detours" {
  value = [for e in liqo_direct_service.web.endpoints : "${e.leaf} -> ${e.pod}: ${e.problem}" if e.problem != null]
}
