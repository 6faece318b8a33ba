// Package protocol tests the provider as Terraform talks to it: over the plugin protocol, in this process, against
// leaves that are no clusters. It has tests only. What they show is the provider's own: what it plans, says, keeps in
// the state and asks of a leaf. What Liqo does with that is shown on clusters, by the acceptance tests.
//
// `liqo-lab fleet` runs the leaves, and each test has leaves of its own. A leaf of a fleet answers as a cluster does;
// the package conformance of the lab compares the two. A project is a small stand-in for Terraform's core: it decides
// what the provider gets to see of a configuration and a state, and checks the answers as Terraform does. It walks
// through resources one after the other. It knows no modules, count, for_each, lifecycle, outputs and functions.
package protocol
