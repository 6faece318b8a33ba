import {
  to = liqo_gateway_client.milan
  id = "rome/milan" # cluster/remote_cluster_id
}
