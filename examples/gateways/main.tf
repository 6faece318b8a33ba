# Every setting of the gateways, on two shortcuts. Every omitted setting has a default.

terraform {
  required_providers {
    liqo = {
      source = "leafmesh/liqo"
    }
  }
}

variable "router" {
  description = "Address of the router that forwards UDP port 31840 to Europe's nodes."
  type        = string
}

provider "liqo" {
  config_path = "~/.kube/config"
}

# Milan's gateway is behind MetalLB, which accepts a requested address of one of its pools. Both gateways use keys that were created elsewhere. All objects are in a
# namespace that exists on both leaves.
resource "liqo_shortcut" "rome_milan" {
  client = "rome"
  server = "milan"
  mtu    = 1400

  client_namespace = "shortcuts"
  server_namespace = "shortcuts"

  server_gateway = {
    service_type        = "LoadBalancer"
    port                = 51850
    load_balancer_ip    = "203.0.113.10"
    service_annotations = { "metallb.io/address-pool" = "shortcuts" }
    service_labels      = { team = "network" }
    key_secret_name     = "gateway-keys"

    template = {
      name      = "wireguard-server"
      namespace = "liqo"
      resource  = "networking.liqo.io/v1beta1/wggatewayservertemplates"
    }
  }

  client_gateway = {
    key_secret_name = "gateway-keys"

    template = {
      name      = "wireguard-client"
      namespace = "liqo"
      resource  = "networking.liqo.io/v1beta1/wggatewayclienttemplates"
    }
  }

  timeouts = {
    create = "5m"
    update = "5m"
    delete = "2m"
  }
}

# Europe's nodes are behind a router. Rome dials the router instead of the address of Europe's gateway. Both gateways
# get new keys whenever the value of key_rotation_trigger changes.
resource "liqo_shortcut" "rome_europe" {
  client               = "rome"
  server               = "europe"
  key_rotation_trigger = "2026-11"

  server_gateway = {
    service_type = "NodePort"
    node_port    = 31840
  }

  client_gateway = {
    server_address = var.router
    server_port    = 31840
  }
}
