# Checks a shortcut. Every plan and apply reports if it is not connected, or if an address is not the expected one.

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
    # The firewall in Rome allows the range from which Liqo takes its addresses.
    postcondition {
      condition = alltrue([
        for cidr in self.server_network.remapped_pod_cidrs : startswith(cidr, "10.")
      ])
      error_message = "Rome reaches Naples' pods at ${join(", ", self.server_network.remapped_pod_cidrs)}, which its firewall drops."
    }
  }
}

# Unlike a postcondition, a check never fails an apply. It only warns. Its data source reads the leaves again in every
# plan and apply, so a plan shows that it will be read.
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
