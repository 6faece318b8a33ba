package provider

import (
	"errors"
	"net/url"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestALeafIsGivenUpOnlyIfItIsLostAndForceDestroyIsSet(t *testing.T) {
	milan := clustertest.Leaf(t, "milan")
	unreachable := milan.Explain(
		&url.Error{Op: "Get", URL: "https://milan.example", Err: errors.New("connection refused")},
	)
	for name, test := range map[string]struct {
		leaf            *cluster.Leaf
		err             error
		force, peerings bool
		gone            bool
	}{
		"out of reach":                           {err: unreachable},
		"out of reach, and given up":             {err: unreachable, force: true, gone: true},
		"out of reach, with a peering given up":  {err: unreachable, peerings: true},
		"gone from the provider block":           {err: &cluster.UnknownNameError{Name: "milan"}},
		"gone from the provider block, given up": {err: &cluster.UnknownNameError{Name: "milan"}, force: true, gone: true},
		"credentials refused":                    {err: milan.Explain(apierrors.NewUnauthorized("expired")), force: true},
		"there":                                  {leaf: milan, force: true},
		"its name refers to another cluster":     {leaf: clustertest.Leaf(t, "naples"), gone: true},
	} {
		model := shortcutModel{
			ServerClusterID: types.StringValue("milan"), ForceDestroy: types.BoolValue(test.force),
			DestroyPeering: types.BoolValue(test.peerings),
		}
		if got := (pair{server: test.leaf, serverErr: test.err}).serverGone(&model); got != test.gone {
			t.Errorf("%s: gone: %t", name, got)
		}
		model.ClientClusterID, model.ServerClusterID = model.ServerClusterID, types.StringNull()
		if got := (pair{client: test.leaf, clientErr: test.err}).clientGone(&model); got != test.gone {
			t.Errorf("%s, as the client: gone: %t", name, got)
		}
	}
}
