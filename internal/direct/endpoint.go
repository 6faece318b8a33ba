package direct

import (
	"net/netip"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	discoveryv1 "k8s.io/api/discovery/v1"
)

// Endpoint is how one leaf reaches one pod of the Service.
type Endpoint struct {
	Leaf    string // name of the leaf from which the pod is reached
	Pod     string // name of the pod
	Cluster string // name of the cluster in which the pod runs
	Address string // that the leaf uses; empty if it uses none
	Path    Path
	Problem string // why the path is not direct, and what would help, in sentences; empty if nothing is wrong

	late bool // Liqo has not looked since it could have another path
}

// Path is the way of packets from a leaf to a pod.
type Path string

// The values of [Path].
const (
	Local   Path = "local"   // the pod runs in the leaf
	Direct  Path = "direct"  // over the network of the two leaves
	Central Path = "central" // through the centre
	Stale   Path = "stale"   // to an address of a network that no longer exists: packets are lost
	None    Path = "none"    // the leaf has no address for the pod
)

// addresses has the address of each pod in the EndpointSlices of the Service in a leaf.
type addresses struct {
	own       map[[2]string]string // of pods of the leaf, by name and type of the address
	reflected map[[2]string]string // of pods of other clusters, by name and EndpointSlice, which has the centre's name
}

func addressesIn(list []discoveryv1.EndpointSlice) addresses {
	addresses := addresses{map[[2]string]string{}, map[[2]string]string{}}
	for i := range list {
		slice := &list[i]
		names, key := addresses.own, string(slice.AddressType)
		if slice.Labels[consts.ManagedByLabelKey] == consts.ManagedByShadowEndpointSliceValue {
			names, key = addresses.reflected, slice.Name
		}
		for _, endpoint := range slice.Endpoints {
			if endpoint.TargetRef != nil && len(endpoint.Addresses) > 0 {
				names[[2]string{endpoint.TargetRef.Name, key}] = endpoint.Addresses[0]
			}
		}
	}
	return addresses
}

// leadsTo reports whether an address belongs to the ranges at which a Configuration reaches the other cluster.
func leadsTo(configuration *networkingv1beta1.Configuration, address string) bool {
	ip, err := netip.ParseAddr(address)
	if err != nil || configuration == nil || configuration.Status.Remote == nil {
		return false
	}
	remote := configuration.Status.Remote.CIDR
	return slices.ContainsFunc(slices.Concat(remote.Pod, remote.External), func(cidr networkingv1beta1.CIDR) bool {
		prefix, err := netip.ParsePrefix(cidr.String())
		return err == nil && prefix.Contains(ip)
	})
}
