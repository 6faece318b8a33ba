// Package cluster turns credentials into one leaf cluster that can be read, written and waited on.
//
// A [Registry] knows every leaf by the name that the user gave it. A [Leaf] is one of them, connected: a client, a cache of the
// objects that Liqo labels with a remote cluster's ID, and the facts that a leaf knows of itself. The package knows nothing of
// pairs of leaves.
package cluster
