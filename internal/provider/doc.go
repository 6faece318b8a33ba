// Package provider is Terraform's side of the project: schemas, models, plan checks and diagnostics. What happens on a cluster is in package shortcut.
package provider
