import {
  to = liqo_public_key.rome
  id = "milan/rome" # cluster/remote_cluster_id
}
