terraform {
  required_version = ">= 1.12"
}

import {
  to = liqo_gateway_server.rome
  identity = {
    cluster_id        = "milan"
    remote_cluster_id = "rome"
  }
}
