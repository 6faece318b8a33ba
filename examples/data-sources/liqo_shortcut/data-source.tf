data "liqo_shortcut" "rome_milan" {
  client = "rome"
  server = "milan"
}

# Warns in every plan and apply while the tunnel is not up, whoever made it.
check "rome_milan" {
  assert {
    condition     = data.liqo_shortcut.rome_milan.status == "Connected"
    error_message = "The network between Rome and Milan is ${data.liqo_shortcut.rome_milan.status}."
  }
}
