# A shortcut between two clusters on EKS. This configuration is validated. It was not applied: no cloud was tried.
#
# Without annotations, a Service of type LoadBalancer gets a Classic Load Balancer on EKS, which carries no UDP, and the
# tunnel stays down. So Milan needs the AWS Load Balancer Controller, and these annotations for a Network Load Balancer.
# `liqoctl install eks` sets them in Liqo's template for gateways; repeating them here does no harm.
#
# Before the first apply, test that UDP gets from Rome to a load balancer in Milan, with the echo server in
# https://docs.liqo.io/en/latest/faq/faq.html#check-the-udp-service.

terraform {
  required_providers {
    liqo = {
      source = "leafmesh/liqo"
    }
  }
}

variable "clusters" {
  description = "Region, API server and CA certificate, in PEM, of each cluster: the outputs of what creates them."
  type = map(object({
    region                 = string
    host                   = string
    cluster_ca_certificate = string
  }))
}

# The AWS CLI prints a token whenever one is needed. It must be installed wherever Terraform runs, also in CI.
provider "liqo" {
  clusters = { for name, cluster in var.clusters : name => {
    host                   = cluster.host
    cluster_ca_certificate = cluster.cluster_ca_certificate

    exec = {
      api_version = "client.authentication.k8s.io/v1beta1"
      command     = "aws"
      args        = ["eks", "get-token", "--region", cluster.region, "--cluster-name", name, "--output", "json"]
    }
  } }
}

resource "liqo_shortcut" "rome_milan" {
  client = "rome"
  server = "milan"

  server_gateway = {
    service_annotations = {
      "service.beta.kubernetes.io/aws-load-balancer-type"            = "external"
      "service.beta.kubernetes.io/aws-load-balancer-scheme"          = "internet-facing"
      "service.beta.kubernetes.io/aws-load-balancer-nlb-target-type" = "ip"

      # A Network Load Balancer cannot check UDP. Without these lines, it asks a port at which the gateway does not answer,
      # and takes it for unhealthy. The security group of the nodes must let the load balancer reach port 8083 over TCP,
      # and Rome reach the gateway's port over UDP.
      "service.beta.kubernetes.io/aws-load-balancer-healthcheck-protocol" = "HTTP"
      "service.beta.kubernetes.io/aws-load-balancer-healthcheck-port"     = "8083"
      "service.beta.kubernetes.io/aws-load-balancer-healthcheck-path"     = "/healthz"
    }
  }
}

# A name, which changes its addresses. Rome's pods must be able to resolve it.
output "endpoint" {
  value = liqo_shortcut.rome_milan.server_endpoint
}
