data "liqo_cluster" "leaf" {
  for_each = toset(["rome", "milan"])
  name     = each.key
}

# Whether Liqo would remap one of the two.
output "same_pod_addresses" {
  value = provider::liqo::cidrs_overlap(data.liqo_cluster.leaf["rome"].pod_cidrs[0], data.liqo_cluster.leaf["milan"].pod_cidrs[0])
}
