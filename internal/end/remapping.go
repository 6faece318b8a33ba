package end

import (
	"context"
	"fmt"
	"slices"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// When the ranges in a Configuration change, Liqo (1.2.0, RemapConfiguration) first asks its IPAM to release the old
// ones. Until that is done, the status keeps the old remapping, and Liqo may report it as complete for the new
// generation. So the status alone does not show that it is the remapping of the new ranges.

// WaitForRemapping returns when Liqo has decided at which addresses this leaf reaches the other one. If remapping is
// forbidden, addresses other than the pods' own are an error.
func (e *End) WaitForRemapping(ctx context.Context, forbidden bool) error {
	var remote liqo.RemoteRanges
	err := e.Leaf.Until(ctx, string(e.Remote.ID), func(ctx context.Context) (bool, error) {
		objects, err := e.Find(ctx)
		if err != nil || objects.Configuration == nil || !liqo.IsRemapped(objects.Configuration) {
			return false, err
		}
		remote = objects.ObservedRemote()
		// Whatever is not allocated yet changes the status later, which is the next event.
		return e.areAllocated(ctx, objects.Configuration)
	}, &networkingv1beta1.Configuration{})
	err = explain.Wait(ctx, e.Subject(), "Liqo to remap the other leaf's address ranges", err)
	if err != nil || !forbidden {
		return err
	}
	for i, cidr := range remote.PodCIDRs {
		if remapped := remote.RemappedPodCIDRs[i]; remapped != cidr {
			return e.remappedProblem(
				fmt.Sprintf("Liqo has remapped the pod CIDR %s of %q to %s.", cidr, e.Remote.Name, remapped),
				"No gateway was created or changed.")
		}
	}
	return nil
}

// followsChange reports whether Liqo would remap again if the ranges in the existing Configuration were changed to
// those of after. If it would not, the Configuration must be created again. Then a gateway of Liqo before 1.2 would
// keep the old ranges, so with a gateway that is an error.
func (e *End) followsChange(
	ctx context.Context, objects liqo.Objects, after *networkingv1beta1.Configuration,
) (bool, error) {
	before := objects.Configuration.Spec.Remote.CIDR
	desired := after.Spec.Remote.CIDR
	if slices.Equal(before.Pod, desired.Pod) && slices.Equal(before.External, desired.External) {
		return true, nil
	}
	able, err := liqo.CapabilitiesOf(ctx, e.Leaf)
	if err != nil {
		return false, err
	}
	if able.FollowsConfigurations {
		return !mayKeep(before.Pod, desired.Pod) && !mayKeep(before.External, desired.External), nil
	}
	if objects.Gateway != nil {
		return false, e.unfollowedProblem()
	}
	return false, nil
}

// mayKeep reports whether Liqo could remap changed ranges to the same ranges as before. Then Liqo (1.2.0) never reports
// the remapping as complete. It compares the status with a copy that shares the conditions, so it does not see that
// only a condition has changed.
func mayKeep(before, after []networkingv1beta1.CIDR) bool {
	return !slices.Equal(before, after) && slices.EqualFunc(before, after, liqo.HaveSameSize)
}

func (e *End) unfollowedProblem() *trouble.Problem {
	return &trouble.Problem{
		ID: "range-change-not-followed", Leaf: e.Leaf.Name,
		Summary: fmt.Sprintf("the address ranges of %q have changed, and Liqo does not follow", e.Remote.Name),
		Advice: fmt.Sprintf("Liqo before 1.2, as on %q, remaps the ranges of another cluster only once. Create the "+
			"shortcut, or both the Configuration and the gateway of this end, again with `terraform apply -replace`, or "+
			"update Liqo on %[1]q.", e.Leaf.Name),
	}
}

// areAllocated asks the leaf whether Liqo's IPAM has allocated each remapped range for the range in the spec of the
// Configuration.
func (e *End) areAllocated(ctx context.Context, configuration *networkingv1beta1.Configuration) (bool, error) {
	var networks ipamv1alpha1.NetworkList
	remote := client.MatchingLabels{consts.RemoteClusterID: string(e.Remote.ID)}
	if err := e.Leaf.List(ctx, &networks, client.InNamespace(configuration.Namespace), remote); err != nil {
		return false, err
	}
	allocated := map[networkingv1beta1.CIDR]networkingv1beta1.CIDR{}
	for i := range networks.Items {
		if network := &networks.Items[i]; liqo.OwnedBy(network, configuration) && !Leaving(network) {
			allocated[network.Spec.CIDR] = network.Status.CIDR
		}
	}
	isAllocated := func(announced, remapped networkingv1beta1.CIDR) bool { return allocated[announced] == remapped }
	announced, remapped := configuration.Spec.Remote.CIDR, configuration.Status.Remote.CIDR
	return slices.EqualFunc(announced.Pod, remapped.Pod, isAllocated) &&
		slices.EqualFunc(announced.External, remapped.External, isAllocated), nil
}

// rangesAnnotation is on a gateway that is older than its Configuration. It is the UID of that Configuration.
const rangesAnnotation = owner.ManagedBy + "/ranges"

// RenewRanges lets Liqo look again at the remapped ranges of a gateway that is older than its Configuration. It is for
// a Configuration that was lost, if Liqo has remapped the new one to other ranges.
//
// The nodes send to the gateway what is for these ranges. Liqo before 1.2 tells the nodes (in the InternalFabric) only
// when the gateway changes. It follows within a moment after RenewRanges.
func (e *End) RenewRanges(ctx context.Context) error {
	objects, err := e.Find(ctx)
	gateway, configuration := objects.Gateway, objects.Configuration
	if err != nil || gateway == nil || configuration == nil || !e.Owner.Owns(gateway) && !owner.IsEndObject(gateway) {
		return err // there is nothing to renew, or the gateway is someone else's
	}
	made, configured := gateway.GetCreationTimestamp(), configuration.CreationTimestamp
	if !made.Before(&configured) || gateway.GetAnnotations()[rangesAnnotation] == string(configuration.UID) {
		return nil
	}
	var able liqo.Capabilities
	err = e.Leaf.Persist(ctx, func() (err error) { able, err = liqo.CapabilitiesOf(ctx, e.Leaf); return err })
	if err != nil || able.FollowsConfigurations {
		return err
	}
	return e.Leaf.Edit(ctx, gateway.Object, func(object client.Object) {
		cluster.SetAnnotation(object, rangesAnnotation, string(configuration.UID))
	})
}
