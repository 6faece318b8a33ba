run "rome_dials" {
  command = plan

  assert {
    condition     = liqo_shortcut.rome_milan.client == "rome"
    error_message = "Milan's firewall only lets in connections from Rome."
  }
}

run "the_leaves_are_joined" {
  assert {
    condition     = liqo_shortcut.rome_milan.status == "Connected"
    error_message = "The shortcut is ${liqo_shortcut.rome_milan.status}."
  }

  assert {
    condition     = liqo_shortcut.rome_milan.server_network.remapped_pod_cidrs == liqo_shortcut.rome_milan.server_network.pod_cidrs
    error_message = "Rome reaches Milan's pods at remapped addresses."
  }
}

run "a_second_apply_changes_nothing" {
  command = plan

  # A plan that changes something does not know the status.
  assert {
    condition     = liqo_shortcut.rome_milan.status == "Connected"
    error_message = "The shortcut is ${liqo_shortcut.rome_milan.status}."
  }
}
