# Tells Milan the address ranges of Rome. Rome's administrators have sent them.
resource "liqo_configuration" "rome" {
  cluster           = "milan"
  remote_cluster_id = "rome"
  pod_cidrs         = ["10.202.0.0/16"]
  external_cidr     = "10.70.0.0/16"
}

# Where a pod in Milan reaches Rome's pods.
output "rome_seen_from_milan" {
  value = liqo_configuration.rome.remapped_pod_cidrs
}
