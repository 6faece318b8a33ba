terraform {
  required_version = ">= 1.12"
}

import {
  to = liqo_gateway_client.milan
  identity = {
    cluster_id        = "rome"
    remote_cluster_id = "milan"
  }
}
