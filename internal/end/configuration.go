package end

import (
	"cmp"
	"context"
	"slices"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
)

// EnsureConfiguration announces the address ranges of the other leaf to this one. Liqo's Configuration controller then
// asks its IPAM for ranges that are free here.
func (e *End) EnsureConfiguration(ctx context.Context, namespace string, other liqo.Ranges) error {
	objects, err := e.Find(ctx)
	if err != nil {
		return err
	}
	id := e.Remote.ID // liqoctl, too, takes it as the name
	configuration := forge.Configuration(string(id), namespace, id, other.PodCIDRs, other.ExternalCIDR)
	if existing := objects.Configuration; existing != nil {
		follows, err := e.followsChange(ctx, objects, configuration)
		if err != nil {
			return err
		}
		if !follows || existing.Namespace != namespace || Leaving(existing) {
			if err := e.RemoveConfigurations(ctx); err != nil {
				return err
			}
		}
		configuration.Name = existing.Name
	}
	e.Owner.Mark(configuration)
	if existing := objects.Configuration; existing != nil {
		e.Owner.KeepOrigin(configuration, existing)
	}
	return e.Leaf.Apply(ctx, configuration)
}

// RemoveConfigurations deletes the owner's Configuration on this leaf. It returns when the Configuration is gone and
// Liqo's IPAM has released its ranges. Before that, Liqo would remap a new Configuration of the other cluster to other
// ranges.
func (e *End) RemoveConfigurations(ctx context.Context) error {
	objects, err := e.Find(ctx)
	own := ownConfigurations(objects, e.Owner)
	if err != nil || len(own) == 0 {
		return err
	}
	if err := e.deleteAll(ctx, own); err != nil {
		return err
	}
	if err := e.untilReleased(ctx, own); err != nil { // read after the deletes, so that it misses none
		return err
	}
	return e.until(ctx, "the Configuration to be gone", func(left liqo.Objects) bool {
		return len(ownConfigurations(left, e.Owner)) == 0
	}, &networkingv1beta1.Configuration{})
}

// untilReleased waits until Liqo's IPAM has released the ranges that it had allocated for deleted Configurations.
func (e *End) untilReleased(ctx context.Context, configurations []client.Object) error {
	taken, err := liqo.TakenNetworks(ctx, e.Leaf)
	if err != nil {
		return err
	}
	return cmp.Or(parallel.Map(taken, func(network ipamv1alpha1.Network) error {
		made := func(configuration client.Object) bool { return liqo.OwnedBy(&network, configuration) }
		if !slices.ContainsFunc(configurations, made) {
			return nil
		}
		kind := ipamv1alpha1.SchemeGroupVersion.WithKind(ipamv1alpha1.NetworkKind)
		return e.untilGone(ctx, kind, client.ObjectKeyFromObject(&network))
	})...)
}

// KeepConfigurations keeps the owner's Configuration and tenant namespace on this leaf for a later shortcut, and
// removes their owner. The leftovers name the objects of others, which also stay.
func (e *End) KeepConfigurations(ctx context.Context) (Leftovers, error) {
	objects, err := e.Find(ctx)
	if err != nil {
		return Leftovers{}, err
	}
	all, err := e.Markable(ctx)
	if err != nil {
		return Leftovers{}, err
	}
	for _, object := range all {
		if e.Owner.Owns(object) {
			if err := e.disown(ctx, object); err != nil {
				return Leftovers{}, err
			}
		}
	}
	return Leftovers{Kept: e.tellOthers(others(objects, e.Owner))}, nil
}

// ownConfigurations returns the Configurations that the owner may remove.
func ownConfigurations(o liqo.Objects, self owner.Owner) []client.Object {
	return slices.DeleteFunc(owned(o, self), func(object client.Object) bool { return !isConfiguration(object) })
}

func isConfiguration(object client.Object) bool {
	_, ok := object.(*networkingv1beta1.Configuration)
	return ok
}
