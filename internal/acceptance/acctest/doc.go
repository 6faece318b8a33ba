// Package acctest is what tests on real clusters have in common: a lab, Terraform, and what they look at. The lab
// starts the clusters on this machine.
//
// Each package with tests runs them one after the other, on one lab. Tests of other packages run at the same time. A
// test begins with [Borrow], which lends it the lab, or starts one of another kind in its place. As in other Terraform
// providers, the tests run only if the environment variable TF_ACC is set. Otherwise they are skipped.
//
// The folder core has the tests that `make test` runs: one release of Liqo, one CLI. Their packages are named after
// their clusters: a pair, once for lives of a shortcut and once for its owners, a topology of five, and clusters with
// packets. The folder nightly has the others, by subject.
package acctest
