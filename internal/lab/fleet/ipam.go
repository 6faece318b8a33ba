package fleet

import (
	"fmt"
	"net/netip"
	"slices"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"go4.org/netipx"
)

var networkKind = ipamv1alpha1.SchemeGroupVersion.WithKind("Network")

// allocate gives a Network the range that it asks for or, if that is taken, a free one of the same size.
func (c *controller) allocate(one object) error {
	asked, err := as[ipamv1alpha1.Network](one.contents)
	if err != nil || asked.Status.CIDR != "" {
		return err
	}
	taken, err := c.taken()
	if err != nil {
		return err
	}
	wanted, err := netip.ParsePrefix(asked.Spec.CIDR.String())
	if err != nil {
		return err
	}
	given := wanted
	if slices.ContainsFunc(taken, wanted.Overlaps) {
		if given, err = free(taken, wanted.Bits()); err != nil {
			return err
		}
	}
	return report(c, networkKind, key(one), func(network *ipamv1alpha1.Network) {
		network.Status.CIDR = networkingv1beta1.CIDR(given.String())
	})
}

// taken returns the ranges that Networks have.
func (c *controller) taken() ([]netip.Prefix, error) {
	networks, err := all[ipamv1alpha1.Network](c, networkKind)
	if err != nil {
		return nil, err
	}
	var taken []netip.Prefix
	for _, network := range networks {
		if network.Status.CIDR == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(network.Status.CIDR.String())
		if err != nil {
			return nil, err
		}
		taken = append(taken, prefix)
	}
	return taken, nil
}

// free returns a range of Liqo's pools that nothing has.
func free(taken []netip.Prefix, bits int) (netip.Prefix, error) {
	var pool netipx.IPSetBuilder
	for _, text := range consts.PrivateAddressSpace {
		pool.AddPrefix(netip.MustParsePrefix(text))
	}
	for _, prefix := range taken {
		pool.RemovePrefix(prefix)
	}
	left, err := pool.IPSet()
	if err != nil {
		return netip.Prefix{}, err
	}
	found, _, ok := left.RemoveFreePrefix(uint8(bits))
	if !ok {
		return netip.Prefix{}, fmt.Errorf("no range of /%d is free", bits)
	}
	return found, nil
}
