package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestAnotherClusterBehindANameIsAReplacementWithItsReason(t *testing.T) {
	called := func(name, id string) *cluster.Leaf {
		leaf := clustertest.Leaf(t, id)
		leaf.Name = name
		return leaf
	}
	plan := shortcutModel{
		ID: types.StringValue("rome/milan"), ClientClusterID: types.StringValue("rome"), ServerClusterID: types.StringValue("milan"),
		ServerNamespace: types.StringValue("liqo-tenant-rome"),
	}
	state := plan
	replace, diags := planLeaves(pair{client: called("rome", "rome"), server: called("milan", "milan-2")}, &plan, &shortcutModel{}, &state)
	if len(replace) != 1 || !replace[0].Equal(path.Root("server_cluster_id")) {
		t.Errorf("replaced because of %v", replace)
	}
	const reason = `The shortcut joins cluster "milan" as its server, and "milan" stands for cluster "milan-2" now. So the shortcut must be replaced.`
	if diags.HasError() || diags.WarningsCount() != 1 || !strings.Contains(diags.Warnings()[0].Detail(), reason) {
		t.Errorf("it says: %v", diags)
	}
	if plan.ID.ValueString() != "rome/milan-2" || plan.ServerClusterID.ValueString() != "milan-2" || !plan.ServerNamespace.IsUnknown() {
		t.Errorf("planned are ID %s, server %s, its namespace %s", plan.ID, plan.ServerClusterID, plan.ServerNamespace)
	}
}

func TestAnotherNameForTheSameClusterIsNoReplacement(t *testing.T) {
	roma, milan := clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan")
	roma.Name = "roma"
	plan := shortcutModel{ClientClusterID: types.StringValue("rome"), ServerClusterID: types.StringValue("milan")}
	state := plan
	if replace, diags := planLeaves(pair{client: roma, server: milan}, &plan, &shortcutModel{}, &state); len(replace) > 0 || len(diags) > 0 {
		t.Errorf("replaced because of %v (%v)", replace, diags)
	}
}

func TestObjectsGoBackToTheTenantNamespaceUnlessTheyAreThere(t *testing.T) {
	usual, unusual := clustertest.Leaf(t, "milan"), clustertest.Leaf(t, "milan", &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "tenants-rome", Labels: map[string]string{
		"liqo.io/remote-cluster-id": "rome", "liqo.io/tenant-namespace": "true",
	}}})
	for name, test := range map[string]struct {
		milan                *cluster.Leaf
		configured, recorded types.String
		stays                bool
	}{
		"in the tenant namespace":                         {usual, types.StringNull(), types.StringValue("liqo-tenant-rome"), true},
		"in a tenant namespace of an unusual name":        {unusual, types.StringNull(), types.StringValue("tenants-rome"), true},
		"in a namespace that is not asked for (any more)": {usual, types.StringNull(), types.StringValue("mine"), false},
		"in a namespace that is asked for":                {usual, types.StringValue("mine"), types.StringValue("mine"), true},
	} {
		plan, config := shortcutModel{ServerNamespace: test.recorded}, shortcutModel{ServerNamespace: test.configured}
		leaves := pair{client: clustertest.Leaf(t, "rome"), server: test.milan}
		if diags := planNamespaces(t.Context(), leaves, &plan, &config); diags.HasError() {
			t.Fatal(diags)
		}
		if plan.ServerNamespace.IsUnknown() == test.stays {
			t.Errorf("%s: planned is %s", name, plan.ServerNamespace)
		}
	}
}
