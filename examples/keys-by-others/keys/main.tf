# The security team's part: each gateway gets the other one's key. After the shortcut is applied, and after each change
# of its keys:
#
#   ./keys.sh
#   terraform apply

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

variable "public_keys" {
  description = "Public key of each leaf's gateway, in base64."
  type        = object({ rome = string, milan = string })
}

resource "liqo_public_key" "milan_in_rome" {
  cluster           = "rome"
  remote_cluster_id = "milan"
  public_key        = var.public_keys.milan
}

resource "liqo_public_key" "rome_in_milan" {
  cluster           = "milan"
  remote_cluster_id = "rome"
  public_key        = var.public_keys.rome
}
