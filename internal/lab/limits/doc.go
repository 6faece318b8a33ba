// Package limits tests what a gateway's rules of what may cross do to packets. It has tests only. They need root, and
// run with the tag lab.
//
// A gateway is a network namespace with the devices of Liqo's. Liqo's own controller writes the rules into it, from the
// table that the provider makes. A tunnel is a pair of devices, and a restart forgets all connections. So there is no
// Kubernetes, a test takes milliseconds, and it can look at every device of a gateway.
package limits
