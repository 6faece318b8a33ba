package shortcut

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	networkingutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/utils"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// ensureConfiguration tells this leaf the address ranges of the other one. Liqo's Configuration controller reacts by asking its IPAM for ranges that are free
// here.
func (s *side) ensureConfiguration(ctx context.Context, namespace string, other cluster.Networks) error {
	found, err := s.find(ctx)
	if err != nil {
		return err
	}
	name := string(s.remote.ID) // as liqoctl names it
	if existing := found.configuration; existing != nil {
		if existing.Namespace != namespace || leaving(existing) {
			if err := s.removeConfigurations(ctx); err != nil {
				return err
			}
		}
		name = existing.Name
	}
	configuration := forge.Configuration(name, namespace, s.remote.ID, other.PodCIDRs, other.ExternalCIDR)
	s.owner.mark(configuration)
	if existing := found.configuration; existing != nil && s.owner.marked(existing) {
		setAnnotation(configuration, originAnnotation, existing.Annotations[originAnnotation]) // it was made then and there
	}
	return s.leaf.Apply(ctx, configuration)
}

// waitForRemapping returns once Liqo has decided where this leaf reaches the other one's addresses. Where remapping is forbidden, another decision than
// the pods' own addresses is an error.
func (s *side) waitForRemapping(forbidden bool) func(context.Context) error {
	return func(ctx context.Context) error {
		var decided *networkingv1beta1.Configuration
		err := s.until(ctx, "Liqo to remap the other leaf's address ranges", func(found objects) bool {
			decided = found.configuration
			return decided != nil && networkingutils.AreConfigurationNetworkCIDRsConfigured(decided)
		}, &networkingv1beta1.Configuration{})
		if err != nil || !forbidden {
			return err
		}
		network := networkOf(decided)
		for i, cidr := range network.PodCIDRs {
			if remapped := network.RemappedPodCIDRs[i]; remapped != cidr {
				return s.remappedProblem(fmt.Sprintf("Liqo has remapped the pod CIDR %s of %q to %s.", cidr, s.remote.Name, remapped))
			}
		}
		return nil
	}
}

// announce reads the leaf's own address ranges and puts in their place what its spec says.
func (s *side) announce(end EndSpec) func(context.Context) (cluster.Networks, error) {
	return func(ctx context.Context) (cluster.Networks, error) {
		own, err := s.leaf.Networks(ctx)
		if err != nil {
			return own, err
		}
		announced := end.Announced(own)
		return announced, s.checkIPv4(announced)
	}
}

// checkIPv4 fails for address ranges of IPv6. Liqo's IPAM (1.2.0, pkg/ipam/core) looks for a free range by dividing IPv4 ranges down to the length that is asked for: for a
// length of more than 32 bits it panics, again after each restart, and no network of that leaf gets a range any more.
func (s *side) checkIPv4(announced cluster.Networks) error {
	for _, cidr := range append(slices.Clone(announced.PodCIDRs), announced.ExternalCIDR) {
		prefix, err := netip.ParsePrefix(cidr)
		if err != nil || prefix.Addr().Is4() {
			continue // what is no range at all is Liqo's to refuse
		}
		return &explain.Problem{
			Leaf:    s.leaf.Name,
			Summary: fmt.Sprintf("Liqo can't join the IPv6 range %s", cidr),
			Detail: fmt.Sprintf("The IPAM of Liqo gives out IPv4 ranges only, and the one of %q would crash if it were asked for this one. Announce only the IPv4 ranges of "+
				"%q: set `pod_cidrs` and `external_cidr` in its `client_network` or `server_network`.", s.remote.Name, s.leaf.Name),
		}
	}
	return nil
}
