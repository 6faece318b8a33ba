package end

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

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
