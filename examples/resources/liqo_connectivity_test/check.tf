variable "test" {
  description = "Another value repeats the test."
  type        = string
  default     = "1"
}

# Records a failure. The apply succeeds, and the check warns of the failure in each plan.
resource "liqo_connectivity_test" "recorded" {
  client     = "rome"
  server     = "milan"
  on_failure = "record"

  triggers = {
    shortcut = liqo_shortcut.rome_milan.id
    test     = var.test
  }
}

check "packets_pass" {
  assert {
    condition     = liqo_connectivity_test.recorded.status == "Passed"
    error_message = join("\n", liqo_connectivity_test.recorded.faults[*].summary)
  }
}
