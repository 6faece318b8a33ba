# Only what does not work.
data "liqo_topology" "problems" {
  problems_only = true
}

# One cluster and its neighbors.
data "liqo_topology" "rome" {
  edges_of = ["rome"]
}

output "problems" {
  value = data.liqo_topology.problems.mermaid
}
