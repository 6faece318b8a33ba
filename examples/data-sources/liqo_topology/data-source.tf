data "liqo_topology" "all" {
  clusters = ["europe", "rome", "milan"]
  central  = "europe"
}

# To show the picture in a README on GitHub, put the text into a code block of the language "mermaid".
output "picture" {
  value = data.liqo_topology.all.mermaid
}

# When packets last crossed each connection between two gateways, by the clock of a gateway's node.
output "last_answers" {
  value = { for e in data.liqo_topology.all.edges : "${e.from} → ${e.to}" => e.latency_measured_at }
}

output "broken" {
  value = [for e in data.liqo_topology.all.edges : "${e.from} → ${e.to}: ${e.status}" if contains(["Error", "Disconnected"], e.status)]
}
