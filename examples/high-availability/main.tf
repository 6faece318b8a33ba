# A shortcut with a standby at each end. If the active pod of a gateway is lost, or its node, the one on another node takes
# over. Each leaf needs two nodes for that. The load balancer leads to the active pod, wherever it runs.
#
# Terraform needs the role in examples/rbac/pods.yaml, too.

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

  pods = {
    replicas       = 2
    lease_duration = "4s" # the standby waits for so long until it takes over from a pod that no longer answers

    # Kubernetes makes another standby 5 seconds after it has found that a node is lost, not 300.
    tolerations = [for state in ["not-ready", "unreachable"] : {
      key                = "node.kubernetes.io/${state}"
      operator           = "Exists"
      effect             = "NoExecute"
      toleration_seconds = 5
    }]
  }
}
