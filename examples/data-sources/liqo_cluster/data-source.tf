data "liqo_cluster" "rome" {
  name = "rome"
}

output "rome" {
  value = "Kubernetes ${data.liqo_cluster.rome.kubernetes_version}, Liqo ${data.liqo_cluster.rome.liqo_version}"
}
