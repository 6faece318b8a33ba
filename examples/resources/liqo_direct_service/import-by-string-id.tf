import {
  to = liqo_direct_service.web
  id = "europe/shop/web" # cluster/namespace/name
}
