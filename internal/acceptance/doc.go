// Package acceptance runs Terraform against real clusters with Liqo's own controllers, started on this machine by the lab.
//
// Its tests carry the build tag "acceptance", so that `go test ./...` needs no cluster. `make acc` runs them.
package acceptance
