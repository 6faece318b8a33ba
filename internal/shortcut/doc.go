// Package shortcut joins two leaf clusters of a Liqo topology directly, watches the join and takes it apart again.
//
// A [Shortcut] is a pair of leaves: the client dials, the server exposes the gateway. [Shortcut.Connect], [Shortcut.Observe] and
// [Shortcut.Disconnect] do what `liqoctl network connect`, `info` and `reset` do, with both leaves worked on at the same time. What happens
// on one leaf is in the methods of side; they take what they need of the other leaf as values. The order in which they run, and what
// flows between them, is in connect.go and disconnect.go.
package shortcut
