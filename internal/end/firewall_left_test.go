package end

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

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
