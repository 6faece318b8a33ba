data "liqo_cluster" "leaf" {
  for_each = toset(["rome", "milan"])
  name     = each.key
}

# True if the ranges overlap, so that Liqo would remap one of them.
output "same_pod_addresses" {
  value = provider::liqo::cidrs_overlap(data.liqo_cluster.leaf["rome"].pod_cidrs[0], data.liqo_cluster.leaf["milan"].pod_cidrs[0])
}
