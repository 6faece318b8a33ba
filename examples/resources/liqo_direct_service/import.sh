# cluster/namespace/name
terraform import liqo_direct_service.web europe/shop/web
