package provider

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// toBeChanged returns the plan of a shortcut that exists as its settings say. Then the templates of gateways at the
// client become those of another Liqo.
func toBeChanged(t *testing.T) *planning {
	t.Helper()
	p := toBeMade(t)
	state := recorded(t, shortcut.Connected)
	p.state = &state
	rome, milan := p.pair.client.Live, p.pair.server.Live
	server, dialling := clustertest.GatewayServer("rome", 51840), clustertest.GatewayClient("milan")
	spec, diags := p.plan.spec(t.Context(), p.config)
	if diags.HasError() {
		t.Fatal(diags)
	}
	server.Spec.MTU, server.Spec.Endpoint.ServiceType = spec.MTU, spec.Server.ServiceType
	dialling.Spec.MTU = spec.MTU
	other := clustertest.NextClientTemplate()
	for _, err := range []error{
		milan.Create(t.Context(), server), rome.Create(t.Context(), dialling),
		rome.Delete(t.Context(), other), rome.Create(t.Context(), other),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func TestAPlanFindsTheGatewayThatCanNotFollowAChangeOfTheOtherOne(t *testing.T) {
	for name, test := range map[string]struct {
		change   func(*planning)
		expected []string
	}{
		"nothing of the gateways": {func(p *planning) { p.plan.CIDRRemapping = types.StringValue(remappingForbidden) }, nil},
		"the MTU": {
			func(p *planning) { p.plan.MTU = types.Int32Value(1400) }, []string{"client_gateway.template"},
		},
		"an MTU that is not known": {
			func(p *planning) { p.plan.MTU = types.Int32Unknown() }, []string{"client_gateway.template"},
		},
		"a label of the server's Service": {
			func(p *planning) {
				p.plan.ServerGateway = gatewayWith(t, "service_labels", textsByName(map[string]string{"team": "network"}))
			},
			[]string{"client_gateway.template"},
		},
		"a repair of the server's gateway": {
			func(p *planning) { clustertest.DeleteGatewayServers(t, p.pair.server) },
			[]string{"client_gateway.template"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := toBeChanged(t)
			test.change(p)
			diags := checkFeasible(t.Context(), p)
			if got := at(diags, diag.SeverityError); !slices.Equal(got, test.expected) {
				t.Errorf("got %v", diags)
			}
		})
	}
}
