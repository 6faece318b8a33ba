data "liqo_shortcuts" "all" {
  clusters = ["europe", "rome", "milan"]
}

# The networks that were created without this provider.
output "others" {
  value = [for s in data.liqo_shortcuts.all.shortcuts : "${s.client} → ${s.server}" if s.made_by != "terraform-provider-liqo"]
}

# An import block for each network that no resource owns.
output "import_blocks" {
  value = join("\n", compact([for s in data.liqo_shortcuts.all.shortcuts : s.import_block if length(s.owners) == 0]))
}
