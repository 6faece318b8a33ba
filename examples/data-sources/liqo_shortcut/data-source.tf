data "liqo_shortcut" "rome_milan" {
  client = "rome"
  server = "milan"
}

# Every plan and apply warns while the tunnel is down, whoever created it.
check "rome_milan" {
  assert {
    condition     = data.liqo_shortcut.rome_milan.status == "Connected"
    error_message = "The network between Rome and Milan is ${data.liqo_shortcut.rome_milan.status}."
  }
}
