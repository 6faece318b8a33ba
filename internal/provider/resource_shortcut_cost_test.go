package provider

import (
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// serverGatewayWith returns the default server_gateway with some other values.
func serverGatewayWith(t *testing.T, values map[string]attr.Value) types.Object {
	t.Helper()
	all := defaultServerGateway(t.Context()).Attributes() // a copy
	maps.Copy(all, values)
	return types.ObjectValueMust(serverGatewayTypes, all)
}

func TestAPlanSaysWhatAChangeCosts(t *testing.T) {
	nodePort := types.StringValue("NodePort")
	fast := types.MapValueMust(types.StringType, map[string]attr.Value{"speed": types.StringValue("fast")})
	for name, test := range map[string]struct {
		before, after map[string]attr.Value // of server_gateway
		change        func(plan *shortcutModel)
		warnings      []string
		moves         bool
	}{
		"nothing":  {},
		"MTU":      {change: func(plan *shortcutModel) { plan.MTU = types.Int32Value(1300) }},
		"a label":  {after: map[string]attr.Value{"service_labels": fast}},
		"the port": {after: map[string]attr.Value{"port": types.Int32Value(51900)}, moves: true},
		"an annotation, which may move a load balancer": {
			after: map[string]attr.Value{"service_annotations": fast}, moves: true,
		},
		"an annotation of a node port": {
			before: map[string]attr.Value{"service_type": nodePort},
			after:  map[string]attr.Value{"service_type": nodePort, "service_annotations": fast},
		},
		"pods": {after: map[string]attr.Value{"pods": podsOf(t, fullySetPods())}},
		"pods of a node port, which may get another node": {
			before: map[string]attr.Value{"service_type": nodePort},
			after:  map[string]attr.Value{"service_type": nodePort, "pods": podsOf(t, fullySetPods())}, moves: true,
		},
		"the type of the Service": {
			after: map[string]attr.Value{"service_type": nodePort}, moves: true,
			warnings: []string{"The gateway gets another address"},
		},
		"the keys of the server": {
			after: map[string]attr.Value{"key_secret_name": types.StringValue("my-keys")}, moves: true,
			warnings: []string{"A gateway is replaced"},
		},
		"keys that are known later": {
			after: map[string]attr.Value{"key_secret_name": types.StringUnknown()}, moves: true,
		},
		"the namespace of the client": {
			change:   func(plan *shortcutModel) { plan.ClientNamespace = types.StringValue("mine") },
			warnings: []string{"A gateway is replaced"},
		},
		"the namespace of the server": {
			change: func(plan *shortcutModel) { plan.ServerNamespace = types.StringValue("mine") }, moves: true,
			warnings: []string{"A gateway is replaced"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			state := shortcutModel{
				ClientNamespace: types.StringValue("liqo-tenant-milan"), ServerNamespace: types.StringValue("liqo-tenant-rome"),
				ServerEndpoint: types.ObjectValueMust(endpointTypes, map[string]attr.Value{
					"addresses": types.ListValueMust(types.StringType, []attr.Value{types.StringValue("192.0.2.1")}),
					"port":      types.Int32Value(51840), "protocol": types.StringValue("UDP"),
				}),
			}
			plan := state
			state.ServerGateway, plan.ServerGateway = serverGatewayWith(t, test.before), serverGatewayWith(t, test.after)
			if test.change != nil {
				test.change(&plan)
			}
			p := planningOf(plan, shortcutModel{}, &state, pair{})
			var warnings []string
			for _, warning := range p.costs(t.Context()) {
				warnings = append(warnings, warning.Summary())
			}
			if !slices.Equal(warnings, test.warnings) {
				t.Errorf("warnings: %q, expected %q", warnings, test.warnings)
			}
			if moves := plan.mayMove(t.Context(), &state); moves != test.moves {
				t.Errorf("may move: %t", moves)
			}
		})
	}
}
