import {
  to = liqo_gateway_server.rome
  id = "milan/rome" # cluster/remote_cluster_id
}
