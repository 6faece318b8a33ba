# Six leaves, and shortcuts for the pairs that need one: each shortcut costs two gateways, here with a standby each, and a
# load balancer. The state is in the central cluster. What may cross is listed for each pair.
#
# The folder ci has a workflow that plans and applies this. On each leaf, Terraform needs the roles of the folder roles,
# and those in rbac/pods.yaml and rbac/allowed-traffic.yaml.

terraform {
  required_version = ">= 1.8"

  required_providers {
    liqo = {
      source  = "leafmesh/liqo"
      version = "~> 0.1.0"
    }
  }

  # KUBE_CONFIG_PATH names the kubeconfig, here and for the provider.
  backend "kubernetes" {
    config_context = "europe"
    namespace      = "terraform"
    secret_suffix  = "shortcuts"
  }
}

# The kubeconfig has a context for each leaf: bari, genoa, milan, naples, rome, turin.
provider "liqo" {}

locals {
  ping = { to = "server", protocol = "ICMP" }

  # The client dials. So the server is the leaf whose load balancer the other one reaches.
  shortcuts = {
    milan-rome = {
      client = "rome"
      server = "milan"
      allow  = [{ to = "server", protocol = "TCP", port = 5432 }]
    }
    milan-turin = {
      client = "turin"
      server = "milan"
      allow  = [{ to = "server", protocol = "TCP", port = 5432 }]
    }
    genoa-turin = {
      client = "genoa"
      server = "turin"
      allow = [
        { to = "server", protocol = "TCP", port = 9092, end_port = 9094 },
        { to = "client", protocol = "TCP", port = 9092, end_port = 9094 },
      ]
    }
    naples-rome = {
      client = "naples"
      server = "rome"
      allow  = [{ to = "client", protocol = "TCP", port = 443 }]
    }
    bari-naples = {
      client = "bari"
      server = "naples"
      allow  = [{ to = "server", protocol = "TCP", port = 443 }]
    }
  }
}

resource "liqo_shortcut" "this" {
  for_each = local.shortcuts

  client = each.value.client
  server = each.value.server
  allow  = concat(each.value.allow, [local.ping])

  # A standby on another node of each leaf. It helps when a node is lost, and costs seconds in most other events.
  pods = {
    replicas            = 2
    lease_duration      = "4s"
    priority_class_name = "system-cluster-critical"

    tolerations = [for state in ["not-ready", "unreachable"] : {
      key                = "node.kubernetes.io/${state}"
      operator           = "Exists"
      effect             = "NoExecute"
      toleration_seconds = 5
    }]
  }

  # Remove this line to remove a shortcut on purpose.
  lifecycle { prevent_destroy = true }
}

# Each plan and each apply warns of a shortcut that is down. It fails nothing: Terraform cannot repair a cable.
check "connected" {
  assert {
    condition     = alltrue([for shortcut in liqo_shortcut.this : shortcut.status == "Connected"])
    error_message = "Not connected: ${join(", ", [for name, shortcut in liqo_shortcut.this : name if shortcut.status != "Connected"])}."
  }
}

output "status" {
  value = { for name, shortcut in liqo_shortcut.this : name => shortcut.status }
}
