// Package provider is the Terraform side of the project: schemas, models, plan checks and diagnostics. The work on the
// clusters is in package shortcut.
package provider
