import {
  to = liqo_configuration.rome
  id = "milan/rome" # cluster/remote_cluster_id
}
