// Package shortcut connects two leaf clusters of a Liqo topology directly, observes the connection, and removes it.
//
// A [Shortcut] is a pair of ends: the client dials, the server exposes the gateway. [Shortcut.Connect],
// [Shortcut.Observe] and [Shortcut.Disconnect] do what `liqoctl network connect`, `info` and `reset` do, but on both
// leaves at the same time. Package end does the work on one leaf. The order of the work, and the values that pass
// between the two ends, are in connect.go and disconnect.go. This package also has everything that needs both ends: the
// status, the ownership of the network, and conflicts.
//
// An [EndObject] is one object at one end, for people who have credentials for one of the leaves only.
package shortcut
