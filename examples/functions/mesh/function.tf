# Connects each cluster with every other one: rome-milan, rome-naples, milan-naples.
resource "liqo_shortcut" "mesh" {
  for_each = provider::liqo::mesh(["rome", "milan", "naples"])

  client = each.value.client
  server = each.value.server

  server_gateway = {
    service_type = "NodePort"
  }
}
