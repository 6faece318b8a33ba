# Rome's end of a network with Milan, made with credentials for Rome only. Rome dials Milan's gateway.
#
# Apply, send the output to Milan's administrators, and put what they send into the variable. Repeat this until both
# ends have everything.

terraform {
  required_providers {
    liqo = {
      source = "leafmesh/liqo"
    }
  }
}

provider "liqo" {
  config_path = "~/.kube/rome.yaml"
}

variable "milan" {
  description = "What Milan's administrators have sent: their output `milan`."
  type = object({
    cluster_id    = string
    pod_cidrs     = list(string)
    external_cidr = string
    endpoint = optional(object({
      addresses = list(string)
      port      = number
      protocol  = string
    }))
    public_key = optional(string)
  })
  default = null
}

data "liqo_cluster" "rome" {
  name = "rome"
}

# Where Rome reaches Milan's pods.
resource "liqo_configuration" "milan" {
  count = var.milan == null ? 0 : 1

  cluster           = "rome"
  remote_cluster_id = var.milan.cluster_id
  pod_cidrs         = var.milan.pod_cidrs
  external_cidr     = var.milan.external_cidr
}

# The gateway that dials Milan's.
resource "liqo_gateway_client" "milan" {
  count = try(var.milan.endpoint, null) == null ? 0 : 1

  cluster           = "rome"
  remote_cluster_id = var.milan.cluster_id
  server_address    = var.milan.endpoint.addresses[0]
  server_port       = var.milan.endpoint.port
}

# The key of Milan's gateway.
resource "liqo_public_key" "milan" {
  count = try(var.milan.public_key, null) == null ? 0 : 1

  cluster           = "rome"
  remote_cluster_id = var.milan.cluster_id
  public_key        = var.milan.public_key
}

output "rome" {
  description = "Send this to Milan's administrators. It has no secret."
  value = {
    cluster_id    = data.liqo_cluster.rome.id
    pod_cidrs     = data.liqo_cluster.rome.pod_cidrs
    external_cidr = data.liqo_cluster.rome.external_cidr
    public_key    = one(liqo_gateway_client.milan[*].public_key)
  }
}
