terraform {
  required_version = ">= 1.12"
}

import {
  to = liqo_direct_service.web
  identity = {
    cluster_id = "europe"
    namespace  = "shop"
    name       = "web"
  }
}
