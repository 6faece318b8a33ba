package direct

import (
	"slices"
	"strings"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// Endpoint is how one leaf reaches one pod of the Service.
type Endpoint struct {
	Leaf    string // name of the leaf from which the pod is reached
	Pod     string // name of the pod
	Cluster string // name of the cluster in which the pod runs
	Address string // that the leaf uses; empty if it uses none
	Path    Path
	Problem string // why the path is not direct, and what would help, in sentences; empty if nothing is wrong

	standing standing
}

// standing is how a pod of another leaf stands to the request for direct connections.
type standing int

const (
	settled    standing = iota // nothing has to happen: it is reached directly, or need not be
	notReady                   // it is reached directly, but gets no packets
	hindered                   // an [Obstacle] keeps the leaf from reaching it directly
	failedOver                 // it is reached through the centre until the network of the two leaves is connected again

	// Liqo has not looked since there could be another path.
	untold     // it has not told the leaf about the pod
	catchingUp // it looks by itself
	outdated   // it looks only after the request was renewed
	stranded   // the same, and there is an obstacle: packets are lost, and could at least go through the centre
)

func (s standing) isLate() bool { return s >= untold }

// needsRenewal reports whether an apply makes Liqo look again.
func (s standing) needsRenewal() bool { return s >= outdated }

// Path is the way of packets from a leaf to a pod.
type Path string

// The values of [Path].
const (
	Local      Path = "Local"      // the pod runs in the leaf
	Direct     Path = "Direct"     // over the network of the two leaves
	FailedOver Path = "FailedOver" // through the centre, until the network of the two leaves is connected again
	Central    Path = "Central"    // through the centre
	Stale      Path = "Stale"      // to an address of a network that no longer exists: packets are lost
	None       Path = "None"       // the leaf has no address for the pod
)

// indirect ends the names of the EndpointSlices in which Liqo after 1.2 keeps the addresses through the centre of pods
// that it also reaches directly. Only one of the two addresses is ready.
const indirect = "-indirect"

// address is an address of a pod in an EndpointSlice.
type address struct {
	ip    string
	ready bool // the leaf sends packets of the Service to it
	twin  bool // it leads through the centre although there could be a direct one
}

// addresses has the address of each pod in the EndpointSlices of the Service in a leaf.
type addresses struct {
	own       map[[2]string]address // of pods of the leaf, by name and type of the address
	reflected map[[2]string]address // of pods of other clusters, by name and EndpointSlice, which has the centre's name
}

// ofOwn returns the address of a pod of the leaf.
func (a addresses) ofOwn(p pod) address { return a.own[[2]string{p.name, string(p.kind)}] }

// reflectedAddress returns the address at which the leaf reaches a pod of another cluster.
func (a addresses) reflectedAddress(p pod) address {
	used := a.reflected[[2]string{p.name, p.slice}]
	other := a.reflected[[2]string{p.name, p.slice + indirect}]
	if other.ip != "" && !used.ready && (other.ready || used.ip == "") {
		other.twin = true
		return other
	}
	return used
}

// keepsBoth reports whether Liqo keeps the addresses through the centre beside the direct ones.
func (a addresses) keepsBoth() bool {
	for key := range a.reflected {
		if strings.HasSuffix(key[1], indirect) {
			return true
		}
	}
	return false
}

func addressesIn(list []discoveryv1.EndpointSlice) addresses {
	addresses := addresses{map[[2]string]address{}, map[[2]string]address{}}
	for i := range list {
		slice := &list[i]
		names, key := addresses.own, string(slice.AddressType)
		if slice.Labels[consts.ManagedByLabelKey] == consts.ManagedByShadowEndpointSliceValue {
			names, key = addresses.reflected, slice.Name
		}
		for _, endpoint := range slice.Endpoints {
			if endpoint.TargetRef != nil && len(endpoint.Addresses) > 0 {
				names[[2]string{endpoint.TargetRef.Name, key}] = address{ip: endpoint.Addresses[0], ready: isReady(endpoint)}
			}
		}
	}
	return addresses
}

// isReady reports whether packets of the Service are sent to an endpoint.
func isReady(endpoint discoveryv1.Endpoint) bool {
	return endpoint.Conditions.Ready == nil || *endpoint.Conditions.Ready // null means that it is
}

// leadsTo reports whether an address belongs to the ranges at which a Configuration reaches the other cluster.
func leadsTo(configuration *networkingv1beta1.Configuration, address string) bool {
	if configuration == nil || configuration.Status.Remote == nil {
		return false
	}
	remote := configuration.Status.Remote.CIDR
	return liqo.InRange(address, liqo.CIDRStrings(slices.Concat(remote.Pod, remote.External))...)
}
