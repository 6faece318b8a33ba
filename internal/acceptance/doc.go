// Package acceptance runs Terraform against real clusters with Liqo's own controllers. The lab starts the clusters on
// this machine.
//
// As in other Terraform providers, the tests run only if the environment variable TF_ACC is set. Otherwise they are
// skipped. Each test begins with borrowLab or borrowTopology, which reserve all clusters of a lab for the test. Tests
// on other labs run at the same time. A pool limits the number of labs and decides which test runs next, so the time of
// a test includes its wait for a lab.
package acceptance
