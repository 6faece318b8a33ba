package end

import (
	"context"
	"slices"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// EnsureConfiguration announces the address ranges of the other leaf to this one. Liqo's Configuration
// controller then asks its IPAM for ranges that are free here.
func (e *End) EnsureConfiguration(ctx context.Context, namespace string, other cluster.Networks) error {
	found, err := e.Find(ctx)
	if err != nil {
		return err
	}
	id := e.Remote.ID // liqoctl, too, takes it as the name
	configuration := forge.Configuration(string(id), namespace, id, other.PodCIDRs, other.ExternalCIDR)
	var adopted owner.Completion // of the adopted Configuration that this one replaces
	if existing := found.Configuration; existing != nil {
		follows, err := e.followsChange(ctx, found, configuration)
		if err != nil {
			return err
		}
		if !follows || existing.Namespace != namespace || Leaving(existing) {
			if err := e.RemoveConfigurations(ctx); err != nil {
				return err
			}
			adopted = owner.CompletionOf(existing)
		}
		configuration.Name = existing.Name
	}
	e.Owner.Mark(configuration)
	if existing := found.Configuration; existing != nil {
		e.Owner.KeepOrigin(configuration, existing)
	}
	if err := e.Leaf.Apply(ctx, configuration); err != nil || adopted == (owner.Completion{}) || adopted.Owner != e.Owner.Token {
		return err
	}
	return e.Leaf.Edit(ctx, configuration, adopted.Mark)
}

// Network has the address ranges of one leaf from the other leaf's Configuration, in CIDR notation.
type Network struct {
	PodCIDRs             []string // as the leaf has them
	ExternalCIDR         string   // as the leaf has it
	RemappedPodCIDRs     []string // where the other leaf reaches PodCIDRs, index by index; nil until Liqo has decided
	RemappedExternalCIDR string   // where the other leaf reaches ExternalCIDR; empty until Liqo has decided
}

// ObservedNetwork returns the network of the other leaf from this end's Configuration. It returns the
// zero value if there is no Configuration.
func (o Objects) ObservedNetwork() Network {
	if o.Configuration == nil {
		return Network{}
	}
	return networkOf(o.Configuration)
}

func networkOf(configuration *networkingv1beta1.Configuration) Network {
	told := configuration.Spec.Remote.CIDR
	network := Network{PodCIDRs: cidrStrings(told.Pod), ExternalCIDR: firstCIDR(told.External)}
	if isRemapped(configuration) {
		remapped := configuration.Status.Remote.CIDR
		network.RemappedPodCIDRs, network.RemappedExternalCIDR = cidrStrings(remapped.Pod), firstCIDR(remapped.External)
	}
	return network
}

func cidrStrings(cidrs []networkingv1beta1.CIDR) []string {
	texts := make([]string, len(cidrs))
	for i, cidr := range cidrs {
		texts[i] = cidr.String()
	}
	return texts
}

func firstCIDR(cidrs []networkingv1beta1.CIDR) string {
	if len(cidrs) == 0 {
		return ""
	}
	return cidrs[0].String()
}

// RemoveConfigurations deletes the owner's Configuration on this leaf. It returns when the Configuration
// is gone and Liqo's IPAM has released its ranges. Before that, Liqo would remap a new Configuration of
// the other cluster to other ranges.
func (e *End) RemoveConfigurations(ctx context.Context) error {
	found, err := e.Find(ctx)
	own := found.ownConfigurations(e.Owner)
	if err != nil || len(own) == 0 {
		return err
	}
	if err := e.deleteAll(ctx, own); err != nil {
		return err
	}
	if err := e.untilReleased(ctx, own); err != nil { // read after the deletes, so that it misses none
		return err
	}
	return e.until(ctx, "the Configuration to be gone", func(left Objects) bool {
		return len(left.ownConfigurations(e.Owner)) == 0
	}, &networkingv1beta1.Configuration{})
}

// untilReleased waits until Liqo's IPAM has released the ranges that it had allocated for deleted Configurations.
func (e *End) untilReleased(ctx context.Context, configurations []client.Object) error {
	taken, err := e.Leaf.TakenNetworks(ctx)
	if err != nil {
		return err
	}
	return forEach(taken, func(network ipamv1alpha1.Network) error {
		made := func(configuration client.Object) bool { return cluster.OwnedBy(&network, configuration) }
		if !slices.ContainsFunc(configurations, made) {
			return nil
		}
		kind := ipamv1alpha1.SchemeGroupVersion.WithKind(ipamv1alpha1.NetworkKind)
		return e.untilGone(ctx, kind, client.ObjectKeyFromObject(&network))
	})
}

// KeepConfigurations keeps the owner's Configuration and tenant namespace on this leaf for a later
// shortcut. They have no owner then. What it says to be kept are the objects of others, which also stay.
func (e *End) KeepConfigurations(ctx context.Context) (Remains, error) {
	found, err := e.Find(ctx)
	if err != nil {
		return Remains{}, err
	}
	all, err := e.Markable(ctx)
	if err != nil {
		return Remains{}, err
	}
	for _, object := range all {
		if e.Owner.Owns(object) {
			if err := e.disown(ctx, object); err != nil {
				return Remains{}, err
			}
		}
	}
	return Remains{Kept: e.tellOthers(found.others(e.Owner))}, nil
}

// ownConfigurations returns the Configurations that the owner may remove.
func (o Objects) ownConfigurations(self owner.Owner) []client.Object {
	return slices.DeleteFunc(o.owned(self), func(object client.Object) bool { return !isConfiguration(object) })
}

func isConfiguration(object client.Object) bool {
	_, ok := object.(*networkingv1beta1.Configuration)
	return ok
}
