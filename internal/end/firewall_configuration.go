package end

import (
	"cmp"
	"context"
	"fmt"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/apis/networking/v1beta1/firewall"
	"github.com/liqotech/liqo/pkg/consts"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func isFirewall(object client.Object) bool {
	_, ok := object.(*networkingv1beta1.FirewallConfiguration)
	return ok
}

// firewallName is the name of the FirewallConfiguration of the limits, and of its table.
func (e *End) firewallName() string { return string(e.Remote.ID) + "-allow" }

// setLimited records on a gateway that is to be written which FirewallConfiguration has its rules, if it has any.
func (e *End) setLimited(gateway client.Object, limited bool) {
	if limited {
		cluster.SetAnnotation(gateway, liqo.LimitsAnnotation, e.firewallName())
	}
}

// forgeFirewall returns the FirewallConfiguration that enforces the limits. Without any, its table is empty.
func (e *End) forgeFirewall(namespace string, limits *liqo.Limits) *networkingv1beta1.FirewallConfiguration {
	id := string(e.Remote.ID)
	object := &networkingv1beta1.FirewallConfiguration{
		ObjectMeta: metav1.ObjectMeta{
			Name: e.firewallName(), Namespace: namespace,
			Labels: map[string]string{
				consts.RemoteClusterID: id, liqo.FirewallCategoryLabel: liqo.GatewayCategory, liqo.FirewallUniqueLabel: id,
			},
		},
		Spec: networkingv1beta1.FirewallConfigurationSpec{Table: firewall.Table{
			Name: new(e.firewallName()), Family: new(firewall.TableFamilyIPv4), Chains: []firewall.Chain{},
		}},
	}
	e.Owner.Mark(object)
	if limits != nil {
		limits.WriteTo(object, e.firewallName())
	}
	return object
}

// EnsureLimits lets only that cross which the limits allow. It comes before a new gateway is written, so that a gateway
// never runs without them. One that exists says first that it has rules, or nothing would show those of a killed apply.
// Without limits, everything may cross, and it returns when the gateway has dropped its rules.
func (e *End) EnsureLimits(ctx context.Context, namespace string, limits *liqo.Limits) error {
	if limits == nil {
		return e.lift(ctx)
	}
	if err := e.CheckLimits(ctx, *limits); err != nil {
		return err
	}
	objects, err := e.Find(ctx)
	if err != nil {
		return err
	}
	if objects.LimitsVersion() > liqo.TableVersion && equality.Semantic.DeepEqual(objects.Limits(), limits) {
		return e.letReport(ctx, objects.Firewall) // a newer version of this provider has written other rules for the same
	}
	desired := e.forgeFirewall(namespace, limits)
	if objects.Firewall != nil {
		e.Owner.KeepOrigin(desired, objects.Firewall)
	}
	if objects.Gateway != nil {
		if err := e.nameLimits(ctx, objects.Gateway.Object); err != nil {
			return err
		}
		if err := controllerutil.SetOwnerReference(objects.Gateway.Object, desired, e.Leaf.Scheme()); err != nil {
			return err
		}
	}
	return e.applyFirewall(ctx, desired)
}

// nameLimits lets an existing gateway say which FirewallConfiguration has its rules.
func (e *End) nameLimits(ctx context.Context, gateway client.Object) error {
	if gateway.GetAnnotations()[liqo.LimitsAnnotation] == e.firewallName() {
		return nil
	}
	return e.Leaf.Edit(ctx, gateway, func(gateway client.Object) { e.setLimited(gateway, true) })
}

// applyFirewall writes the rules. If the gateway has reported about others, it lets the gateway report again.
func (e *End) applyFirewall(ctx context.Context, rules *networkingv1beta1.FirewallConfiguration) error {
	if err := e.Leaf.Apply(ctx, rules); err != nil {
		return err
	}
	return e.letReport(ctx, rules)
}

// letReport lets the gateway report about rules unless its reports are about them already.
func (e *End) letReport(ctx context.Context, rules *networkingv1beta1.FirewallConfiguration) error {
	if liqo.ReportsCurrentRules(rules) {
		return nil
	}
	return e.dropReports(ctx, rules)
}

// BindLimits lets the gateway own the rules. Kubernetes deletes them with the gateway from then on.
func (e *End) BindLimits(ctx context.Context, gateway EnsuredGateway) error {
	objects, err := e.Find(ctx)
	if err != nil || objects.Firewall == nil || liqo.OwnedBy(objects.Firewall, gateway) {
		return err
	}
	var failed error
	err = e.Leaf.Edit(ctx, objects.Firewall, func(object client.Object) {
		failed = controllerutil.SetOwnerReference(gateway.Object, object, e.Leaf.Scheme())
	})
	if err != nil || failed != nil {
		return fmt.Errorf("the gateway could not own its rules: %w", cmp.Or(err, failed))
	}
	return nil
}

// lift removes the rules while the gateway runs, which then no longer says that it has any. Liqo (1.2.0) leaves those
// of a deleted FirewallConfiguration in the gateway until it restarts. So the gateway first applies an empty table,
// also if somebody else has deleted the rules.
func (e *End) lift(ctx context.Context) error {
	objects, err := e.Find(ctx)
	if err != nil || !objects.HasLimits() {
		return err
	}
	if err := e.dropRules(ctx, objects.Gateway.Object); err != nil {
		return err
	}
	return e.Leaf.Edit(ctx, objects.Gateway.Object, func(gateway client.Object) {
		cluster.RemoveAnnotation(gateway, liqo.LimitsAnnotation)
	})
}

func (e *End) dropRules(ctx context.Context, gateway client.Object) error {
	empty := e.forgeFirewall(gateway.GetNamespace(), nil)
	if err := controllerutil.SetOwnerReference(gateway, empty, e.Leaf.Scheme()); err != nil {
		return err
	}
	if err := e.applyFirewall(ctx, empty); err != nil {
		return err
	}
	if err := e.waitForGateway(ctx, "the gateway to drop the rules of `allow`", e.Find,
		liqo.Objects.LimitsApplied, &networkingv1beta1.FirewallConfiguration{}); err != nil {
		return err
	}
	return e.removeFirewall(ctx, empty)
}

// removeFirewall deletes the rules of a gateway, and returns when they are gone.
func (e *End) removeFirewall(ctx context.Context, rules *networkingv1beta1.FirewallConfiguration) error {
	if rules == nil || !e.Owner.MayRemove(rules) {
		return nil
	}
	return e.deleteFirewall(ctx, rules)
}

func (e *End) deleteFirewall(ctx context.Context, rules *networkingv1beta1.FirewallConfiguration) error {
	if err := e.delete(ctx, rules); err != nil {
		return err
	}
	kind := networkingv1beta1.GroupVersion.WithKind(cluster.FirewallConfigurationKind)
	return e.untilGone(ctx, kind, client.ObjectKeyFromObject(rules))
}

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
		return err
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
	err := e.Leaf.List(ctx, list, client.MatchingLabels{consts.RemoteClusterID: string(e.Remote.ID)})
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
