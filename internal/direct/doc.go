// Package direct lets the offloaded pods of a Service meet over the networks of their leaves. In a central cluster, a
// Service may have pods that Liqo runs in leaves. Each leaf gets EndpointSlices with the addresses at which it reaches
// the pods in the other leaves: through the centre, unless the Service requests direct connections and the two leaves
// have a network, for example a shortcut.
//
// A [Service] requests and withdraws direct connections and observes which address each leaf uses. The package knows no
// Terraform type, and reads leaves only. All that it writes is one annotation in the centre.
package direct
