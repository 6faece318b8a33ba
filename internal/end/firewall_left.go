package end

import (
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// Rules are there before their gateway. An apply that ends in between leaves them without one that names them.
// They would be in force for the next gateway, which reads them in any namespace.

// RemoveLeftRules removes the rules that are without a gateway: those of killed creates, and the owner's own, which an
// apply has left that failed or was killed. It asks the leaf only if there may be some: a lease lists such creates, or
// the owner is not new.
func (e *End) RemoveLeftRules(ctx context.Context, unfinished owner.Unfinished, isNew bool) error {
	objects, err := e.Find(ctx)
	if err != nil || objects.Gateway != nil || isNew && len(unfinished) == 0 {
		return err
	}
	var all networkingv1beta1.FirewallConfigurationList
	if err := e.listRules(ctx, &all); err != nil {
		return e.Leaf.Explain(err)
	}
	for i := range all.Items {
		left := &all.Items[i]
		if e.isOurRules(left) && (e.Owner.Owns(left) || e.Owner.WhoseIn(nil, left, unfinished) == owner.Orphan) {
			if err := e.deleteFirewall(ctx, left); err != nil {
				return err
			}
		}
	}
	return nil
}

// listRules lists the FirewallConfigurations for the other cluster. They need rights of their own: for whoever may not
// read them, there are none, because nobody writes rules without reading them.
func (e *End) listRules(ctx context.Context, list *networkingv1beta1.FirewallConfigurationList) error {
	err := e.Leaf.Live.List(ctx, list, client.MatchingLabels{consts.RemoteClusterID: string(e.Remote.ID)})
	if apierrors.IsForbidden(err) {
		return nil
	}
	return err
}

// isOurRules reports whether this provider has written a FirewallConfiguration for this end.
func (e *End) isOurRules(rules *networkingv1beta1.FirewallConfiguration) bool {
	return rules.Name == e.firewallName() && owner.Managed(rules)
}

// leftRules returns those of these rules that the owner may remove, or nil.
func (e *End) leftRules(list networkingv1beta1.FirewallConfigurationList) *networkingv1beta1.FirewallConfiguration {
	for i := range list.Items {
		if left := &list.Items[i]; e.isOurRules(left) && e.Owner.MayRemove(left) {
			return left
		}
	}
	return nil
}
