package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

func TestANamespaceOfOnesOwnIsClaimedOncePerLeaf(t *testing.T) {
	rome, milan, naples := cluster.Absent("rome", "rome"), cluster.Absent("milan", "milan"), cluster.Absent("naples", "naples")
	var claimed claims
	first := &shortcutModel{ClientNamespace: types.StringValue("own"), ServerNamespace: types.StringValue("own")}
	for range 2 { // a replacement is planned twice
		if diags := claimed.claimNamespaces(pair{client: rome, server: milan}, first, "one"); len(diags) > 0 {
			t.Errorf("an instance is refused its own namespaces: %v", diags)
		}
	}
	for name, test := range map[string]struct {
		client, server types.String
		refused        bool
	}{
		"the same on the same leaf":    {types.StringNull(), types.StringValue("own"), true},
		"the same on another leaf":     {types.StringValue("own"), types.StringNull(), false},
		"another on the same leaf":     {types.StringNull(), types.StringValue("mine"), false},
		"the tenant namespace, thrice": {types.StringNull(), types.StringNull(), false},
		"one that is known later":      {types.StringUnknown(), types.StringUnknown(), false},
	} {
		config := &shortcutModel{ClientNamespace: test.client, ServerNamespace: test.server}
		diags := claimed.claimNamespaces(pair{client: naples, server: rome}, config, name)
		if diags.HasError() != test.refused {
			t.Errorf("%s: %v", name, diags)
		}
	}
	if diags := claimed.claimNamespaces(pair{}, first, "two"); len(diags) > 0 {
		t.Errorf("a leaf that is not known yet: %v", diags)
	}
}
