data "liqo_shortcuts" "all" {
  clusters = ["europe", "rome", "milan"]
}

# The networks that were created without this provider.
output "unmanaged" {
  value = [for s in data.liqo_shortcuts.all.shortcuts : "${s.client} → ${s.server} (${s.made_by})" if !s.managed]
}
