package provider

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

func TestUnsetValuesAreLeftToTheLeaves(t *testing.T) {
	plan, config := recorded(t, shortcut.Connected), settled(t) // the plan has the values of the state
	plan.ClientNetwork = objectOf(t.Context(), networkTypes, &liqo.RemoteRanges{
		PodCIDRs: []string{"10.1.0.0/16"}, ExternalCIDR: "10.2.0.0/16",
	})
	plan.ServerNetwork = plan.ClientNetwork
	spec := plan.spec(t.Context(), &config)
	if nothing := (shortcut.EndSpec{}); !reflect.DeepEqual(spec.ClientEnd, nothing) ||
		!reflect.DeepEqual(spec.ServerEnd, nothing) {
		t.Errorf("the ends are %+v and %+v", spec.ClientEnd, spec.ServerEnd)
	}
}

func TestTheStateHasTheEndpointAndNoRangesThatLiqoHasNotAssignedYet(t *testing.T) {
	model, found := settled(t), working()
	found.Server.Network = liqo.RemoteRanges{PodCIDRs: []string{"10.5.0.0/16"}, ExternalCIDR: "10.6.0.0/16"}
	model.observed(t.Context(), found)
	shows(t, map[string][2]any{
		"server_network": {model.ServerNetwork, `{"external_cidr":"10.6.0.0/16","pod_cidrs":["10.5.0.0/16"],` +
			`"remapped_external_cidr":<null>,"remapped_pod_cidrs":<null>}`},
		"server_endpoint": {model.ServerEndpoint, `{"addresses":["172.18.0.9"],"port":51840,"protocol":"UDP"}`},
	})
}

func TestSettingsOfPodsStayCommonOrThoseOfOneGateway(t *testing.T) {
	// Each letter is one set of settings: those of both gateways, of the client's and of the server's. 0 sets nothing.
	letter := func(letter byte) *liqo.PodSettings {
		return map[byte]*liqo.PodSettings{'A': {Replicas: 2}, 'B': {Replicas: 3}, '0': {}}[letter]
	}
	for name, test := range map[string]struct{ before, found, expected string }{
		"nothing":                               {"---", "--", "---"},
		"an import of equal ones":               {"---", "AA", "A--"},
		"an import of different ones":           {"---", "AB", "-AB"},
		"an import of one":                      {"---", "A-", "-A-"},
		"common ones":                           {"A--", "AA", "A--"},
		"equal ones of their own":               {"-AA", "AA", "-AA"},
		"common ones, and one of its own":       {"A-B", "AB", "A-B"},
		"common ones, and an equal one":         {"AA-", "AA", "AA-"},
		"common ones, and one without settings": {"A-0", "A0", "A-0"},
		"one end has changed":                   {"A--", "AB", "A-B"},
		"its own one has changed":               {"A-B", "A0", "A-0"},
		"both have changed alike":               {"A--", "BB", "B--"},
		"one end has lost them":                 {"A--", "-A", "--A"},
		"both have lost them":                   {"A--", "--", "---"},
		"its own ones are lost":                 {"A-B", "A-", "-A-"},
		"one gateway is missing":                {"A--", "?A", "A--"},
		"one that has its own is missing":       {"AB-", "?A", "AB-"},
		"both are missing":                      {"A-B", "??", "A-B"},
	} {
		t.Run(name, func(t *testing.T) {
			model, state := settled(t), working()
			gateway := func(kinds map[string]attr.Type, pods byte) types.Object {
				return objectWith(t.Context(), kinds, map[string]attr.Value{"pods": podsOf(t, letter(pods))})
			}
			found := func(role liqo.GatewayRole, pods byte) *liqo.GatewaySettings {
				if pods == '?' {
					return nil
				}
				return &liqo.GatewaySettings{Role: role, Pods: letter(pods)}
			}
			model.Pods = podsOf(t, letter(test.before[0]))
			model.ClientGateway = gateway(clientGatewayTypes, test.before[1])
			model.ServerGateway = gateway(serverGatewayTypes, test.before[2])
			state.ClientGateway = found(liqo.ClientRole, test.found[0])
			state.ServerGateway = found(liqo.ServerRole, test.found[1])
			model.observed(t.Context(), state)
			for i, got := range []attr.Value{
				model.Pods, model.ClientGateway.Attributes()["pods"], model.ServerGateway.Attributes()["pods"],
			} {
				if expected := podsOf(t, letter(test.expected[i])); !got.Equal(expected) {
					t.Errorf("of %d, there is %s, expected %s", i, got, expected)
				}
			}
		})
	}
}

func TestSettingsOfMissingObjectsKeepTheirValues(t *testing.T) {
	model := recorded(t, shortcut.Connected)
	model.ClientNamespace = types.StringUnknown()
	model.ClientGateway = objectWith(t.Context(), clientGatewayTypes, map[string]attr.Value{
		"server_address": types.StringValue("milan.example.com"),
		"template": objectOf(
			t.Context(), attributeTypes(templateAttribute("", "").Attributes), &liqo.Template{Name: "my-client"}),
	})
	expected := model
	model.observed(t.Context(), shortcut.State{
		Status: shortcut.Disconnected, Client: shortcut.EndState{ClusterID: "rome"},
		Server: shortcut.EndState{ClusterID: "milan"},
	})
	expected.ClientNamespace, expected.Status = types.StringNull(), types.StringValue("Disconnected")
	expected.ServerEndpoint = types.ObjectNull(endpointTypes)
	if !sameValues(&model, &expected) {
		t.Errorf("got %+v\nexpected %+v", model, expected)
	}
}

// Terraform refuses a result in which an attribute of the plan has another value.
func TestAReplicaThatTakesOverDuringAnApplyShowsAtTheNextRefresh(t *testing.T) {
	moved := working()
	moved.ServerEndpoint = &liqo.Endpoint{Addresses: []string{"172.18.0.10"}, Port: 51840, Protocol: "UDP"}
	for name, planned := range map[string]types.Object{
		"before":  objectOf(t.Context(), endpointTypes, working().ServerEndpoint),
		"unknown": types.ObjectUnknown(endpointTypes),
	} {
		t.Run(name, func(t *testing.T) {
			model := settled(t)
			model.ServerEndpoint = planned
			model.observedAfter(t.Context(), nil, moved)
			if !model.ClientGateway.Equal(settled(t).ClientGateway) {
				t.Errorf("after the apply, the client's gateway has %s", model.ClientGateway)
			}
			if given(planned) && !model.ServerEndpoint.Equal(planned) {
				t.Errorf("after the apply, the server's endpoint is %s", model.ServerEndpoint)
			}
			model.observed(t.Context(), moved)
			if dialled := model.ClientGateway.Attributes()["server_address"]; !dialled.Equal(types.StringValue("172.18.0.9")) {
				t.Errorf("the next refresh shows that the client dials %s", dialled)
			}
		})
	}
}

func TestAChangeThatIsHalfDoneShowsWhateverIsConfigured(t *testing.T) {
	for _, mtus := range [][2]int32{{1340, 1400}, {1400, 1340}, {0, 1340}} {
		model, state := settled(t), working()
		state.ClientGateway.MTU, state.ServerGateway.MTU = int(mtus[0]), int(mtus[1])
		model.observed(t.Context(), state)
		for _, configured := range mtus {
			if model.MTU.Equal(types.Int32Value(configured)) {
				t.Errorf("with the MTUs %v, a plan for %d changes nothing", mtus, configured)
			}
		}
	}
	for _, rotations := range [][2]string{{"first", "second"}, {"second", "first"}, {"", "first"}, {"first", ""}} {
		model, state := settled(t), working()
		state.ClientGateway.KeyRotation, state.ServerGateway.KeyRotation = rotations[0], rotations[1]
		model.observed(t.Context(), state)
		for _, configured := range rotations {
			if configured != "" && model.KeyRotationTrigger.Equal(types.StringValue(configured)) {
				t.Errorf("with the rotations %q, a plan for %q changes nothing", rotations, configured)
			}
		}
	}
}
