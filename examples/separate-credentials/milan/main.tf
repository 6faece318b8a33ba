# Milan's end of a network with Rome, made with credentials for Milan only. Milan exposes the gateway.
#
# Apply, send the output to Rome's administrators, and put what they send into the variable. Repeat this until both
# ends have everything.

terraform {
  required_providers {
    liqo = {
      source = "leafmesh/liqo"
    }
  }
}

provider "liqo" {
  config_path = "~/.kube/milan.yaml"
}

variable "rome" {
  description = "What Rome's administrators have sent: their output `rome`."
  type = object({
    cluster_id    = string
    pod_cidrs     = list(string)
    external_cidr = string
    public_key    = optional(string)
  })
  default = null
}

data "liqo_cluster" "milan" {
  name = "milan"
}

# Where Milan reaches Rome's pods.
resource "liqo_configuration" "rome" {
  count = var.rome == null ? 0 : 1

  cluster           = "milan"
  remote_cluster_id = var.rome.cluster_id
  pod_cidrs         = var.rome.pod_cidrs
  external_cidr     = var.rome.external_cidr
}

# The gateway that Rome dials.
resource "liqo_gateway_server" "rome" {
  count = var.rome == null ? 0 : 1

  cluster           = "milan"
  remote_cluster_id = var.rome.cluster_id
}

# The key of Rome's gateway, which Rome's administrators know only when they have Milan's endpoint.
resource "liqo_public_key" "rome" {
  count = try(var.rome.public_key, null) == null ? 0 : 1

  cluster           = "milan"
  remote_cluster_id = var.rome.cluster_id
  public_key        = var.rome.public_key
}

output "milan" {
  description = "Send this to Rome's administrators. It has no secret."
  value = {
    cluster_id    = data.liqo_cluster.milan.id
    pod_cidrs     = data.liqo_cluster.milan.pod_cidrs
    external_cidr = data.liqo_cluster.milan.external_cidr
    endpoint      = one(liqo_gateway_server.rome[*].endpoint)
    public_key    = one(liqo_gateway_server.rome[*].public_key)
  }
}
