package end

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/reactions"
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
	objects, err := e.Find(t.Context())
	must(t, err)
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
	objects, err := e.Find(t.Context())
	must(t, err)
	must(t, e.Leaf.EditStatus(t.Context(), objects.Firewall, func(object client.Object) {
		reactions.Enforce(object.(*networkingv1beta1.FirewallConfiguration)) //nolint:errcheck,forcetypeassert // a copy
	}))
	if !enforced(t, e) {
		t.Error("the gateway has reported again, and that does not confirm the rules")
	}
	if err := e.EnsureLimits(t.Context(), "liqo-tenant-rome", &onlyTheDatabase); err != nil || !enforced(t, e) {
		t.Errorf("an apply without a change removes the report (%v)", err)
	}
}
