# cluster/remote_cluster_id
terraform import liqo_configuration.rome milan/rome
