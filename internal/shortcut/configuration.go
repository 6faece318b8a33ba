package shortcut

import (
	"context"
	"fmt"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	networkingutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/utils"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
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
		return end.Announced(own), err
	}
}
