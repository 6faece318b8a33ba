# Peerings and shortcuts in one configuration. The official provider, liqotech/liqo, peers Europe with Rome and Milan. This
# one connects Rome and Milan directly. Types of both begin with liqo_, so one of them has another local name here.

terraform {
  required_providers {
    liqo = {
      source = "leafmesh/liqo"
    }
    liqotech = {
      source  = "liqotech/liqo"
      version = "~> 0.1"
    }
  }
}

# The cluster that consumes resources: the current context of this kubeconfig.
provider "liqotech" {
  kubernetes = {
    config_path = pathexpand("~/.kube/europe.yaml")
  }
}

provider "liqo" {
  clusters = {
    rome  = { config_path = "~/.kube/rome.yaml" }
    milan = { config_path = "~/.kube/milan.yaml" }
  }
}

resource "liqo_peer" "leaf" {
  provider = liqotech
  for_each = toset(["rome", "milan"])

  remote_kubeconfig = pathexpand("~/.kube/${each.key}.yaml")
}

resource "liqo_shortcut" "rome_milan" {
  client = "rome"
  server = "milan"
}
