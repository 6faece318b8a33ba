# cluster/remote_cluster_id
terraform import liqo_gateway_client.milan rome/milan
