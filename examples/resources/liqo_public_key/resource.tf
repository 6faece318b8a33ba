# Gives Milan's gateway the key of Rome's. Rome's administrators have sent it.
resource "liqo_public_key" "rome" {
  cluster           = "milan"
  remote_cluster_id = "rome"
  public_key        = "GbkWcOMXqEMp0TUq5lNbCzmLYTrjFqvzDdGNYHaNXH8="
}
