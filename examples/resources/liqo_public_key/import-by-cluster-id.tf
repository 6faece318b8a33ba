terraform {
  required_version = ">= 1.12"
}

import {
  to = liqo_public_key.rome
  identity = {
    cluster_id        = "milan"
    remote_cluster_id = "rome"
  }
}
