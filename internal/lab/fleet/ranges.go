package fleet

import (
	"net/netip"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	ipamcore "github.com/liqotech/liqo/pkg/ipam/core"
	ipamutils "github.com/liqotech/liqo/pkg/utils/ipam"
	"k8s.io/apimachinery/pkg/types"
)

// ranges are those that a leaf has given away. Liqo's own IPAM says which ones are left.
type ranges struct {
	ipam  *ipamcore.Ipam
	given map[types.NamespacedName]netip.Prefix // to which Network
}

func newRanges() (*ranges, error) {
	var pools []netip.Prefix
	for _, pool := range consts.PrivateAddressSpace {
		pools = append(pools, netip.MustParsePrefix(pool))
	}
	ipam, err := ipamcore.NewIpam(pools)
	return &ranges{ipam, map[types.NamespacedName]netip.Prefix{}}, err
}

// give returns the range of a Network: the one that it asks for, or another one of the same size if that is not free.
func (r *ranges) give(network *ipamv1alpha1.Network) networkingv1beta1.CIDR {
	name := key(network)
	if given, ok := r.given[name]; ok {
		return networkingv1beta1.CIDR(given.String())
	}
	asked, err := netip.ParsePrefix(string(network.Spec.CIDR))
	if err != nil {
		return "" // it gets none
	}
	var given *netip.Prefix
	if ipamutils.NetworkNotRemapped(network) {
		r.ipam.NetworkAcquireWithPrefix(asked, ipamutils.NetworkIsExclusive(network))
		given = &asked // outside the pools, too
	} else if given = r.ipam.NetworkAcquireWithPrefix(asked, true); given == nil {
		given = r.ipam.NetworkAcquire(asked.Bits(), true)
	}
	if given == nil {
		return ""
	}
	r.given[name] = *given
	return networkingv1beta1.CIDR(given.String())
}

// takeBack frees the range of a Network that is gone.
func (r *ranges) takeBack(network types.NamespacedName) {
	if given, ok := r.given[network]; ok {
		r.ipam.NetworkRelease(given, 0)
		delete(r.given, network)
	}
}
