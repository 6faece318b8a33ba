// Package cluster turns credentials into one leaf that callers can read, write and wait on.
//
// A [Registry] knows every leaf by the name that the user gave it. A [Leaf] is a connected leaf: a
// client, a cache of the objects that Liqo labels with a remote cluster's ID, and the facts that a
// leaf reports about itself. The package knows nothing about pairs of leaves.
package cluster
