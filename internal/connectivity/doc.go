// Package connectivity sends packets between pods of two leaves, and names the hop where they get lost.
//
// A path is what a pod of one leaf sends to a pod of the other one, and what comes back. A way is one direction of it.
// A hop is a part of a way, and a fault is a hop that drops packets. A station is a test's part of one leaf: its pods,
// and what they report.
//
// A [Test] starts a pod on each node of both leaves. The pods are listeners: their kernels answer pings. When all of
// them run, Liqo makes its routes to them, and each gets a prober: an ephemeral container that pings the listeners of
// the other leaf. Nobody logs in to a pod: what a container has seen is its termination message.
//
// If all pings are answered, that is all. Otherwise, detours ping the listeners, too: pods to which Liqo makes no
// route. Then each listener's pod gets another container, which looks again. At last, the listeners are told to end,
// and report what has arrived. All this is evidence of a way, and the table of verdicts says what evidence shows. What
// somebody has not reported, or reported too late, is no evidence. Then a fault is open: it names what comes into
// question.
//
// The package knows no Terraform type. It changes nothing of a network: it creates pods, and removes them.
package connectivity
