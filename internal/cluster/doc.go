// Package cluster turns credentials into one leaf that callers can read, write and wait on.
//
// A [Registry] knows every leaf by the name that the user gave it. A [Leaf] is a connected leaf: a client, and a cache
// of the objects that Liqo labels with a remote cluster's ID. The package knows Kubernetes. Of Liqo, it knows only by
// which ID and label clusters know each other. What Liqo's objects say is the business of package liqo.
//
// Who works on something alone holds a [Lease] of a leaf. A fence lets its writes pass while it is sure to hold it.
package cluster
