# The roles in rbac/shortcuts.yaml for any number of leaves. They list some objects by name, and the names have the cluster
# IDs of the other leaves. So a further leaf changes the role on each leaf that there is. To add one, add its cluster ID
# here, and apply the roles on all leaves:
#
#   terraform apply
#   terraform output -raw roles > roles.yaml
#   for leaf in rome milan naples; do kubectl --context "$leaf" apply -f roles.yaml; done
#
# All leaves get the same roles. An entry with the leaf's own ID names nothing that exists there.

variable "cluster_ids" {
  description = "Liqo's cluster IDs of all leaves."
  type        = list(string)
  default     = ["rome", "milan", "naples"]
}

variable "key_secret_names" {
  description = "Each key_secret_name of a gateway."
  type        = list(string)
  default     = []
}

locals {
  names = {
    routeconfigurations = [for id in var.cluster_ids : "${id}-node-gw"]
    internalfabrics     = var.cluster_ids
    secrets             = concat([for id in var.cluster_ids : "gw-${id}"], var.key_secret_names)
  }

  roles = [for text in split("\n---\n", file("${path.module}/../rbac/shortcuts.yaml")) : yamldecode(text)]

  # The rules that list names, with those of all leaves.
  generated = [for role in local.roles : merge(role, {
    rules = [for rule in role.rules : merge(rule, {
      for key in ["resourceNames"] : key => local.names[one(rule.resources)] if can(rule.resourceNames)
    })]
  })]
}

output "roles" {
  value = join("---\n", [for role in local.generated : yamlencode(role)])
}
