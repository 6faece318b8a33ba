# Connects each cluster with every other one: milan-naples, milan-rome, naples-rome. Nobody can dial rome, so rome dials.
resource "liqo_shortcut" "mesh" {
  for_each = provider::liqo::mesh(["rome", "milan", "naples"], "rome")

  client = each.value.client
  server = each.value.server

  server_gateway = {
    service_type = "NodePort"
  }
}
