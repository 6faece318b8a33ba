action "liqo_connectivity_test" "rome_milan" {
  config {
    client = "rome"
    server = "milan"
  }
}

# Each create and each change of the shortcut ends with the test.
resource "liqo_shortcut" "rome_milan" {
  client         = "rome"
  server         = "milan"
  server_gateway = { service_type = "NodePort" }

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.liqo_connectivity_test.rome_milan]
    }
  }
}
