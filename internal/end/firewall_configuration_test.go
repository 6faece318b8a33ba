package end

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/reactions"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// onlyTheDatabase are limits of Milan's end.
var onlyTheDatabase = liqo.Limits{
	In:  []liqo.Rule{{Protocol: liqo.TCP, Port: 5432}},
	Own: []string{"10.203.0.0/16"}, Other: []string{"10.202.0.0/16"}, Nodes: "10.70.0.0",
}

// limitedEnd is Milan's end after an apply has written rules in the place of others. The gateway has reported about
// those.
func limitedEnd(t *testing.T) *End {
	t.Helper()
	gateway := exposedGateway()
	e := milansEnd(t)
	e.setLimited(gateway, true)
	rules := e.forgeFirewall(gateway.Namespace, &onlyTheDatabase)
	rules.Generation = 2
	reactions.Enforce(rules)
	return milansEnd(t, gateway, rules)
}

func enforced(t *testing.T, e *End) bool {
	t.Helper()
	objects := found(t, e)
	return objects.LimitsApplied()
}

func TestAReportAboutFormerRulesNeverConfirmsNewOnes(t *testing.T) {
	e := limitedEnd(t)
	if enforced(t, e) {
		t.Error("the apply was killed after the rules, and the former report confirms them")
	}
	must(t, e.EnsureLimits(t.Context(), "liqo-tenant-rome", &onlyTheDatabase))
	if enforced(t, e) {
		t.Error("the next apply has written the same rules, and the former report confirms them")
	}
	must(t, e.Leaf.EditStatus(t.Context(), found(t, e).Firewall, report))
	if !enforced(t, e) {
		t.Error("the gateway has reported again, and that does not confirm the rules")
	}
	if err := e.EnsureLimits(t.Context(), "liqo-tenant-rome", &onlyTheDatabase); err != nil || !enforced(t, e) {
		t.Errorf("an apply without a change removes the report (%v)", err)
	}
}

// leftOn is Milan's end without a gateway. It has rules of that owner in a namespace of the user's own.
func leftOn(t *testing.T, self owner.Owner, change func(*networkingv1beta1.FirewallConfiguration)) *End {
	t.Helper()
	e := milansEnd(t)
	e.Owner = self
	rules := e.forgeFirewall("networks", &onlyTheDatabase)
	change(rules)
	e = milansEnd(t, rules)
	e.Owner = me
	return e
}

func TestARemovalWithoutAGatewayRemovesOnlyItsOwnRules(t *testing.T) {
	asItIs := func(*networkingv1beta1.FirewallConfiguration) {}
	for name, test := range map[string]struct {
		owner  owner.Owner
		change func(*networkingv1beta1.FirewallConfiguration)
		stays  bool
	}{
		"its own":          {me, asItIs, false},
		"without an owner": {owner.Owner{}, asItIs, false},
		"of somebody":      {somebody, asItIs, true},
		"of another name":  {me, func(rules *networkingv1beta1.FirewallConfiguration) { rules.Name = "mine" }, true},
		"by hand": {me, func(rules *networkingv1beta1.FirewallConfiguration) {
			delete(rules.Labels, owner.ManagedByLabel)
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			e := leftOn(t, test.owner, test.change)
			must(t, e.RemoveGateways(t.Context()))
			var left networkingv1beta1.FirewallConfigurationList
			must(t, e.Leaf.Clients().Live.List(t.Context(), &left))
			if stays := len(left.Items) > 0; stays != test.stays {
				t.Errorf("they stay: %t", stays)
			}
		})
	}
}

func TestARemovalNeedsNoRightToReadRules(t *testing.T) {
	e := milansEnd(t)
	clustertest.Fail[*networkingv1beta1.FirewallConfigurationList](e.Leaf, "list",
		apierrors.NewForbidden(schema.GroupResource{Resource: "firewallconfigurations"}, "", nil))
	must(t, e.RemoveGateways(t.Context()))
	must(t, e.RemoveLeftRules(t.Context(), owner.Unfinished{"killed": {}}, false))
}
