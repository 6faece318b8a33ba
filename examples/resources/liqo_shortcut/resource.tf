resource "liqo_shortcut" "rome_milan" {
  client = "rome"
  server = "milan"
}
