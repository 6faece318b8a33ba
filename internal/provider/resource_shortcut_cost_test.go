package provider

import (
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

func TestAPlanSaysWhatAChangeCosts(t *testing.T) {
	onNode := map[string]attr.Value{"service_type": types.StringValue("NodePort")}
	with := func(setting string, value attr.Value) map[string]attr.Value {
		return map[string]attr.Value{setting: value}
	}
	onNodeWith := func(setting string, value attr.Value) map[string]attr.Value {
		all := with(setting, value)
		maps.Copy(all, onNode)
		return all
	}
	own := types.StringValue("mine")
	for name, test := range map[string]struct {
		before, after map[string]attr.Value // of server_gateway
		change        func(plan *shortcutModel)
		warning       string // or empty
		moves         bool
	}{
		"nothing":  {},
		"MTU":      {change: func(plan *shortcutModel) { plan.MTU = types.Int32Value(1300) }},
		"a label":  {after: with("service_labels", fast)},
		"the port": {after: with("port", types.Int32Value(51900)), moves: true},
		"an annotation, which may move a load balancer": {after: with("service_annotations", fast), moves: true},
		"an annotation of a node port":                  {before: onNode, after: onNodeWith("service_annotations", fast)},
		"pods":                                          {after: with("pods", twoReplicas(t))},
		"pods of a node port, which may get another node": {
			before: onNode, after: onNodeWith("pods", twoReplicas(t)), moves: true,
		},
		"the type of the Service":   {after: onNode, moves: true, warning: "The gateway gets another address"},
		"the keys of the server":    {after: with("key_secret_name", own), moves: true, warning: "A gateway is replaced"},
		"keys that are known later": {after: with("key_secret_name", types.StringUnknown()), moves: true},
		"the namespace of the client": {
			change: func(plan *shortcutModel) { plan.ClientNamespace = own }, warning: "A gateway is replaced",
		},
		"the namespace of the server": {
			change: func(plan *shortcutModel) { plan.ServerNamespace = own }, moves: true, warning: "A gateway is replaced",
		},
	} {
		t.Run(name, func(t *testing.T) {
			state := recorded(t, shortcut.Connected)
			plan := state
			state.ServerGateway, plan.ServerGateway = serverGatewayWith(t, test.before), serverGatewayWith(t, test.after)
			if test.change != nil {
				test.change(&plan)
			}
			p := planningOf(plan, shortcutModel{}, &state, pair{})
			if got := summaries(p.costs(t.Context())); got != test.warning {
				t.Errorf("the plan warns %q, expected %q", got, test.warning)
			}
			if moves := plan.mayMove(t.Context(), &state); moves != test.moves {
				t.Errorf("may move: %t", moves)
			}
		})
	}
}
