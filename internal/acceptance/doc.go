// Package acceptance runs Terraform against real clusters with Liqo's own controllers, started on this machine by the lab.
//
// As in other Terraform providers, its tests run where the environment variable TF_ACC is set, and are skipped elsewhere. Each begins with borrowLab, which
// gives it all clusters of a lab for itself, beside other tests on other labs.
package acceptance
