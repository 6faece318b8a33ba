# cluster/remote_cluster_id
terraform import liqo_gateway_server.rome milan/rome
