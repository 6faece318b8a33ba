# The roles for Rome and Milan are those of the file, which the tests of the provider run with.
run "two_leaves" {
  command = plan

  variables {
    cluster_ids = ["rome", "milan"]
  }

  assert {
    condition     = jsonencode(local.generated) == jsonencode(local.roles)
    error_message = "Generated for two leaves: ${output.roles}"
  }
}

run "a_further_leaf" {
  command = plan

  variables {
    cluster_ids      = ["rome", "milan", "naples"]
    key_secret_names = ["gateway-keys"]
  }

  assert {
    condition = jsonencode([for rule in local.generated[0].rules : rule.resourceNames if can(rule.resourceNames)]) == jsonencode([
      ["rome-node-gw", "milan-node-gw", "naples-node-gw"],
      ["rome", "milan", "naples"],
      ["gw-rome", "gw-milan", "gw-naples", "gateway-keys"],
    ])
    error_message = "Generated for three leaves: ${output.roles}"
  }
}
