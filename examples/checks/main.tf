# Watches a shortcut: every plan and apply says so if it is not connected, or if an address is not where it is expected.

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

resource "liqo_shortcut" "rome_naples" {
  client = "rome"
  server = "naples"

  server_gateway = {
    service_type = "NodePort"
  }

  lifecycle {
    # The firewall in Rome knows the range that Liqo takes its addresses from.
    postcondition {
      condition = alltrue([
        for cidr in self.server_network.remapped_pod_cidrs : startswith(cidr, "10.")
      ])
      error_message = "Rome reaches Naples' pods at ${join(", ", self.server_network.remapped_pod_cidrs)}, which its firewall drops."
    }
  }
}

# Unlike a postcondition, a check never fails an apply: it warns. Its data source looks at the leaves anew, in every plan and apply;
# that is why a plan shows that it will be read.
check "rome_naples_is_connected" {
  data "liqo_shortcut" "rome_naples" {
    client = "rome"
    server = "naples"
  }

  assert {
    condition     = data.liqo_shortcut.rome_naples.status == "Connected"
    error_message = "The shortcut from Rome to Naples is ${data.liqo_shortcut.rome_naples.status}."
  }
}
