terraform {
  required_version = ">= 1.12"
}

import {
  to = liqo_shortcut.rome_milan
  identity = {
    client_cluster_id = "rome"
    server_cluster_id = "milan"
  }
}
