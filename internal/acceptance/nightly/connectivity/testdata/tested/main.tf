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

variable "run" {
  default = "1"
}

variable "on_failure" {
  default = "fail"
}

resource "liqo_connectivity_test" "it" {
  client     = "rome"
  server     = "milan"
  on_failure = var.on_failure
  triggers   = { run = var.run }
}

output "result" {
  value = liqo_connectivity_test.it
}
