package end

import (
	"context"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// A gateway that restarts has no rules at first. While both gateways restart, neither keeps anything from crossing. So
// this one loses the key of the other one before its restart, and gets it back when it has reported the rules. Its
// reports do not say which pod has made them, and outlive it.

// WaitForLimits waits until the gateway enforces the rules, and one that has restarted until its new pod does. Liqo's
// controllers run in the active pod only. So once another pod than the former ones is active, a report is the new pod's
// if all earlier ones were removed.
func (e *End) WaitForLimits(ctx context.Context, gateway EnsuredGateway) error {
	renewed := len(gateway.former) == 0
	if !renewed { // usually, the former pods are gone then
		if err := e.WaitForRollout(ctx, gateway); err != nil {
			return err
		}
	}
	for {
		if !renewed {
			var err error
			if renewed, err = e.renewReports(ctx, gateway); err != nil {
				return err
			}
		}
		err := e.waitForGateway(ctx, "the gateway to apply the rules of `allow`", e.Find, liqo.Objects.LimitsApplied,
			&networkingv1beta1.FirewallConfiguration{})
		if err != nil || renewed {
			return err
		}
	}
}

// renewReports lets a gateway that has restarted report again about its rules. It returns whether the new pod does so.
func (e *End) renewReports(ctx context.Context, gateway EnsuredGateway) (bool, error) {
	pods, err := liqo.PodsOf(ctx, e.Leaf, gateway)
	if err != nil {
		return false, err
	}
	objects, err := e.Find(ctx)
	if err != nil || objects.Firewall == nil {
		return true, err // the wait says what is missing
	}
	active := activeOf(pods)
	return active != nil && !slices.Contains(gateway.former, active.UID), e.dropReports(ctx, objects.Firewall)
}

// dropReports removes the reports of gateways about their rules.
func (e *End) dropReports(ctx context.Context, rules *networkingv1beta1.FirewallConfiguration) error {
	return e.Leaf.EditStatus(ctx, rules, func(object client.Object) {
		liqo.DropReports(object.(*networkingv1beta1.FirewallConfiguration)) //nolint:errcheck,forcetypeassert // a copy
	})
}

// beginLimitedRestart takes the key of the other gateway back if that one restarts, too, and returns the pods that are
// about to go. Who may not list them can't tell the reports of the next ones from theirs.
func (e *End) beginLimitedRestart(ctx context.Context, objects liqo.Objects, rolls bool) ([]types.UID, error) {
	if objects.PublicKey != nil && e.Owner.Owns(objects.PublicKey) && !rolls {
		if err := e.delete(ctx, objects.PublicKey); err != nil {
			return nil, err
		}
	}
	pods, err := liqo.PodsOf(ctx, e.Leaf, objects.Gateway)
	if cluster.MissingPermission(err) {
		return nil, nil
	}
	var former []types.UID
	for i := range pods {
		former = append(former, pods[i].UID)
	}
	return former, err
}
