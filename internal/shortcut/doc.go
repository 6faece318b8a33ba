// Package shortcut joins two leaf clusters of a Liqo topology directly, watches the join and takes it apart again.
//
// A [Shortcut] is a pair of ends: the client dials, the server exposes the gateway. [Shortcut.Connect],
// [Shortcut.Observe] and [Shortcut.Disconnect] do what `liqoctl network connect`, `info` and `reset` do, with both
// leaves worked on at the same time. What happens on one leaf is in package end. The order in which it happens, and
// what flows between the two ends, is in connect.go and disconnect.go. What only shows when both ends are known is
// here, too: the status, whose the network is, and who is in the way.
package shortcut
