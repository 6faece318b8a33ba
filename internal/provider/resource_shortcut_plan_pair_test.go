package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestObjectsMoveBackToTheTenantNamespaceUnlessTheyAreThere(t *testing.T) {
	labels := map[string]string{"liqo.io/remote-cluster-id": "rome", "liqo.io/tenant-namespace": "true"}
	usual := clustertest.Leaf(t, "milan")
	unusual := clustertest.Leaf(t, "milan", &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: "tenants-rome", Labels: labels},
	})
	none, own, byDefault := types.StringNull(), types.StringValue("mine"), types.StringValue("liqo-tenant-rome")
	for name, test := range map[string]struct {
		milan                *cluster.Leaf
		configured, recorded types.String
		stays                bool
	}{
		"in the tenant namespace":                         {usual, none, byDefault, true},
		"in a tenant namespace of an unusual name":        {unusual, none, types.StringValue("tenants-rome"), true},
		"in a namespace that is not asked for (any more)": {usual, none, own, false},
		"in a configured namespace":                       {usual, own, own, true},
		"in no namespace, before the first apply":         {usual, none, none, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := planningOf(shortcutModel{ServerNamespace: test.recorded}, shortcutModel{ServerNamespace: test.configured}, nil,
				pair{client: clustertest.Leaf(t, "rome"), server: test.milan})
			sound(t, p.planNamespaces(t.Context()))
			if p.plan.ServerNamespace.IsUnknown() == test.stays {
				t.Errorf("planned %s", p.plan.ServerNamespace)
			}
		})
	}
}

func TestAConfiguredNamespaceIsReservedOncePerLeaf(t *testing.T) {
	none, unknown := types.StringNull(), types.StringUnknown()
	own, other := types.StringValue("own"), types.StringValue("other")
	var reserved reservations
	reserve := func(leaves pair, client, server types.String, token string) bool {
		config := shortcutModel{ClientNamespace: client, ServerNamespace: server}
		return !reserved.reserveNamespaces(planningOf(shortcutModel{}, config, nil, leaves).ends(), token).HasError()
	}
	of := func(name string) *cluster.Leaf { return cluster.Absent(name, name) }
	for range 2 { // Terraform plans a replacement twice
		if !reserve(pair{client: of("rome"), server: of("milan")}, own, own, "one") {
			t.Error("an instance cannot reserve its own namespaces again")
		}
	}
	for name, test := range map[string]struct {
		client, server types.String
		accepted       bool
	}{
		"the same on the same leaf": {none, own, false},
		"the same on another leaf":  {own, none, true},
		"another on the same leaf":  {none, other, true},
		"the tenant namespace":      {none, none, true},
		"an unknown namespace":      {unknown, unknown, true},
	} {
		t.Run(name, func(t *testing.T) {
			accepted := reserve(pair{client: of("naples"), server: of("rome")}, test.client, test.server, name)
			if accepted != test.accepted {
				t.Errorf("it is accepted: %t", accepted)
			}
		})
	}
	if !reserve(pair{}, own, own, "two") {
		t.Error("it is reserved on an unknown leaf")
	}
}

func TestOtherRangesAreAReplacementOnlyIfLiqoDoesNotFollow(t *testing.T) {
	announced := func(podCIDR, remapped string) types.Object {
		return objectOf(t.Context(), networkTypes, &liqo.RemoteRanges{
			PodCIDRs: []string{podCIDR}, ExternalCIDR: "10.70.0.0/16",
			RemappedPodCIDRs: []string{remapped}, RemappedExternalCIDR: "10.70.0.0/16",
		})
	}
	rome, milan := clustertest.Leaf(t, "rome"), clustertest.OlderLiqo(clustertest.Leaf(t, "milan"))
	both, before := pair{client: rome, server: milan}, announced("10.0.0.0/16", "10.0.0.0/16")
	other, elsewhere := announced("10.0.0.0/17", "10.0.0.0/17"), announced("10.0.0.0/16", "10.9.0.0/16")
	for name, test := range map[string]struct {
		client, server, was types.Object // was is that of both
		pair                pair
		replaced            bool
	}{
		"to Liqo 1.1":                         {other, before, before, both, true},
		"to Liqo 1.2":                         {before, other, before, both, false},
		"to a leaf that can't be read":        {other, before, before, pair{client: rome}, false},
		"the same ranges, remapped elsewhere": {elsewhere, before, before, both, false},
		"ranges that are known later":         {types.ObjectUnknown(networkTypes), before, before, both, true},
		"a Configuration that is missing":     {before, before, types.ObjectNull(networkTypes), both, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := planningOf(shortcutModel{ClientNetwork: test.client, ServerNetwork: test.server}, shortcutModel{},
				&shortcutModel{ClientNetwork: test.was, ServerNetwork: test.was}, test.pair)
			diags := p.planRanges(t.Context())
			replace := p.replace
			if diags.HasError() || (len(replace) == 1) != test.replaced || diags.WarningsCount() != len(replace) {
				t.Errorf("%v, %v", replace, diags)
			}
			if len(replace) > 0 && !replace[0].Equal(path.Root("client_network")) {
				t.Errorf("because of %s", replace[0])
			}
			if (p.state == nil) != test.replaced || p.plan.ClientNamespace.IsUnknown() != test.replaced {
				t.Errorf("the state is %v, the namespace %s", p.state, p.plan.ClientNamespace)
			}
		})
	}
}
