# cluster/remote_cluster_id
terraform import liqo_public_key.rome milan/rome
