locals {
  # "it-*" = "Italy" would be each cluster whose name begins with it-.
  regions = {
    rome  = "Italy"
    "mi*" = "Italy"
    "eu*" = "Europe"
  }
}

# The regions, whatever the number of their clusters.
data "liqo_topology" "regions" {
  groups    = local.regions
  max_edges = 0
}

# Only what does not work.
data "liqo_topology" "problems" {
  groups        = local.regions
  problems_only = true
}

# One cluster and its neighbors.
data "liqo_topology" "rome" {
  edges_of = ["rome"]
}

output "problems" {
  value = {
    picture  = data.liqo_topology.problems.mermaid
    clusters = { for n in data.liqo_topology.problems.nodes : coalesce(n.group, "no region") => n.name... }
  }
}
