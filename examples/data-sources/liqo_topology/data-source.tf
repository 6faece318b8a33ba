data "liqo_topology" "all" {
  clusters = ["europe", "rome", "milan"]
  central  = "europe"
}

output "picture" {
  value = data.liqo_topology.all.mermaid
}

output "broken" {
  value = [for e in data.liqo_topology.all.edges : "${e.from} → ${e.to}: ${e.status}" if contains(["Error", "Disconnected"], e.status)]
}
