package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestObjectsMoveBackToTheTenantNamespaceUnlessTheyAreThere(t *testing.T) {
	labels := map[string]string{"liqo.io/remote-cluster-id": "rome", "liqo.io/tenant-namespace": "true"}
	usual := clustertest.Leaf(t, "milan")
	unusual := clustertest.Leaf(t, "milan", &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: "tenants-rome", Labels: labels},
	})
	for name, test := range map[string]struct {
		milan                *cluster.Leaf
		configured, recorded types.String
		stays                bool
	}{
		"in the tenant namespace": {
			usual, types.StringNull(), types.StringValue("liqo-tenant-rome"), true,
		},
		"in a tenant namespace of an unusual name": {
			unusual, types.StringNull(), types.StringValue("tenants-rome"), true,
		},
		"in a namespace that is not asked for (any more)": {usual, types.StringNull(), types.StringValue("mine"), false},
		"in a configured namespace": {
			usual, types.StringValue("mine"), types.StringValue("mine"), true,
		},
		"in no namespace, before the first apply": {usual, types.StringNull(), types.StringNull(), false},
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
	rome, milan, naples := cluster.Absent("rome", "rome"), cluster.Absent("milan", "milan"),
		cluster.Absent("naples", "naples")
	var reserved reservations
	first := shortcutModel{ClientNamespace: types.StringValue("own"), ServerNamespace: types.StringValue("own")}
	reserve := func(leaves pair, config shortcutModel, token string) diag.Diagnostics {
		return reserved.reserveNamespaces(planningOf(shortcutModel{}, config, nil, leaves).ends(), token)
	}
	for range 2 { // Terraform plans a replacement twice
		if diags := reserve(pair{client: rome, server: milan}, first, "one"); len(diags) > 0 {
			t.Errorf("an instance cannot reserve its own namespaces again: %v", diags)
		}
	}
	for name, test := range map[string]struct {
		client, server types.String
		refused        bool
	}{
		"the same on the same leaf": {types.StringNull(), types.StringValue("own"), true},
		"the same on another leaf":  {types.StringValue("own"), types.StringNull(), false},
		"another on the same leaf":  {types.StringNull(), types.StringValue("mine"), false},
		"the tenant namespace":      {types.StringNull(), types.StringNull(), false},
		"an unknown namespace":      {types.StringUnknown(), types.StringUnknown(), false},
	} {
		t.Run(name, func(t *testing.T) {
			config := shortcutModel{ClientNamespace: test.client, ServerNamespace: test.server}
			diags := reserve(pair{client: naples, server: rome}, config, name)
			if diags.HasError() != test.refused {
				t.Error(diags)
			}
		})
	}
	if diags := reserve(pair{}, first, "two"); len(diags) > 0 {
		t.Errorf("an unknown leaf: %v", diags)
	}
}
