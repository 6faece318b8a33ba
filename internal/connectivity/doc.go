// Package connectivity sends packets between pods of two leaves, and names the hop where they get lost.
//
// A path is the way from a pod of one leaf to a pod of the other one, a hop is a part of it, and a fault is a hop that
// drops packets. A station is a test's part of one leaf: its pods, and what they report.
//
// A [Test] starts pods on nodes of both leaves: listeners, whose kernels answer pings, and then probers, which ping the
// listeners of the other leaf. Nobody logs in to a pod: what a pod has seen is its termination message. If all pings
// are answered, the listeners go unheard. Otherwise detours ping them, too: pods to which Liqo makes no route. Then the
// listeners are told to end, and report what has arrived. From this and from what the gateways report, [Result.Faults]
// names the hops.
//
// The package knows no Terraform type. It changes nothing of a network: it creates pods, and removes them.
package connectivity
