package provider

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework-nettypes/iptypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/utils/ptr"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

func textsByName(values map[string]string) types.Map {
	texts := map[string]attr.Value{}
	for name, value := range values {
		texts[name] = types.StringValue(value)
	}
	return types.MapValueMust(types.StringType, texts)
}

func templateNamed(name, resource string) types.Object {
	return types.ObjectValueMust(templateTypes, map[string]attr.Value{
		"name": types.StringValue(name), "namespace": types.StringValue("custom"), "resource": types.StringValue(resource),
	})
}

func networkOf(podCIDR, externalCIDR string) types.Object {
	return types.ObjectValueMust(networkTypes, map[string]attr.Value{
		"pod_cidrs": cidrList([]string{podCIDR}), "external_cidr": cidrtypes.NewIPPrefixValue(externalCIDR),
		"remapped_pod_cidrs": types.ListNull(cidrtypes.IPPrefixType{}), "remapped_external_cidr": cidrtypes.NewIPPrefixNull(),
	})
}

// fullySetPods returns settings of pods of which none is empty.
func fullySetPods() *liqo.PodSettings {
	return &liqo.PodSettings{
		Replicas: 2, LeaseDuration: "4s", NodeSelector: map[string]string{"example.com/edge": "true"},
		Tolerations: []liqo.Toleration{{
			Key: "node.kubernetes.io/unreachable", Operator: "Equal", Value: "x", Effect: "NoExecute",
			Seconds: ptr.To[int64](0),
		}},
		TopologyKey: "topology.kubernetes.io/zone", PriorityClassName: "system-cluster-critical",
		Resources: map[string]liqo.ContainerResources{
			"gateway": {Requests: map[string]string{"cpu": "500m"}, Limits: map[string]string{"memory": "64Mi"}},
		},
		Annotations: map[string]string{"speed": "fast"}, Labels: map[string]string{"team": "network"},
	}
}

func podsOf(t *testing.T, settings *liqo.PodSettings) types.Object {
	t.Helper()
	return objectOf(t.Context(), podsTypes, settings)
}

// fullySet returns a shortcut in which no setting has its default.
func fullySet(t *testing.T) shortcutModel {
	t.Helper()
	model := settled(t)
	model.MTU, model.KeyRotationTrigger = types.Int32Value(1400), types.StringValue("first")
	model.Allow = allowSet(t.Context(), &shortcut.Allow{
		ToClient: []liqo.Rule{{Protocol: liqo.ICMP}},
		ToServer: []liqo.Rule{
			{}, {Protocol: liqo.TCP, Port: 80, EndPort: 90, CIDRs: []string{"10.3.0.0/24", "10.3.1.0/24"}},
		},
	})
	model.ServerGateway = types.ObjectValueMust(serverGatewayTypes, map[string]attr.Value{
		"service_type": types.StringValue("NodePort"), "port": types.Int32Value(51900),
		"node_port":           types.Int32Value(31000),
		"load_balancer_ip":    iptypes.NewIPAddressValue("192.0.2.10"),
		"service_annotations": textsByName(map[string]string{"speed": "fast"}),
		"service_labels":      textsByName(map[string]string{"team": "network"}),
		"key_secret_name":     types.StringValue("server-keys"), "template": templateNamed("my-server", "g/v1/servers"),
		"pods": podsOf(t, fullySetPods()),
	})
	model.ClientGateway = types.ObjectValueMust(clientGatewayTypes, map[string]attr.Value{
		"server_address": types.StringValue("milan.example.com"), "server_port": types.Int32Value(41000),
		"key_secret_name": types.StringValue("client-keys"), "template": templateNamed("my-client", "g/v1/clients"),
		"pods": podsOf(t, &liqo.PodSettings{Replicas: 3}),
	})
	model.ClientNamespace, model.ServerNamespace = types.StringValue("of-rome"), types.StringValue("of-milan")
	model.ClientNetwork, model.ServerNetwork = networkOf("10.1.0.0/16", "10.2.0.0/16"),
		networkOf("10.3.0.0/16", "10.4.0.0/16")
	model.CIDRRemapping, model.OnDestroy = types.StringValue(remappingForbidden), types.StringValue(destroyDisconnects)
	model.WaitForConnection, model.AbandonLostCluster, model.DestroyPeering = types.BoolValue(true), types.BoolValue(true),
		types.BoolValue(true)
	return model
}

// ofKeySecrets returns the removal of a shortcut with the Secrets of [fullySet].
func ofKeySecrets() shortcut.Removal {
	return shortcut.Removal{
		ClientKeySecret: liqo.KeySecret{Namespace: "of-rome", Name: "client-keys"},
		ServerKeySecret: liqo.KeySecret{Namespace: "of-milan", Name: "server-keys"},
	}
}

func TestUnsetValuesAreLeftToTheLeaves(t *testing.T) {
	plan, config := fullySet(t), settled(t) // the plan has the values of the state
	plan.CIDRRemapping, plan.OnDestroy = types.StringValue(remappingAllowed), types.StringValue(destroyResets)
	plan.DestroyPeering = types.BoolValue(false) // abandon_lost_cluster is only about lost leaves
	spec := plan.spec(t.Context(), &config)
	if nothing := (shortcut.EndSpec{}); !reflect.DeepEqual(spec.ClientEnd, nothing) ||
		!reflect.DeepEqual(spec.ServerEnd, nothing) {
		t.Errorf("the ends are %+v and %+v", spec.ClientEnd, spec.ServerEnd)
	}
	if spec.ForbidRemapping || !reflect.DeepEqual(plan.removal(), ofKeySecrets()) {
		t.Errorf("got %+v, %+v", spec, plan.removal())
	}
}

func TestTheDefaultsAreThoseOfLiqoctl(t *testing.T) {
	model := settled(t)
	spec := model.spec(t.Context(), &model)
	expected := shortcut.Spec{
		TunnelSettings: liqo.TunnelSettings{MTU: liqo.DefaultMTU},
		Server:         liqo.GatewaySettings{Role: liqo.ServerRole, ServiceType: "LoadBalancer", Port: liqo.DefaultPort},
		Client:         liqo.GatewaySettings{Role: liqo.ClientRole},
	}
	if !reflect.DeepEqual(spec, expected) {
		t.Errorf("got %+v", spec)
	}
}

func TestTheStateHasWhatTheLeavesShow(t *testing.T) {
	model, found := settled(t), working()
	found.Client.Network = liqo.RemoteRanges{
		PodCIDRs: []string{"10.1.0.0/16"}, ExternalCIDR: "10.2.0.0/16", RemappedPodCIDRs: []string{"10.3.0.0/16"},
		RemappedExternalCIDR: "10.4.0.0/16",
	}
	// Not remapped yet.
	found.Server.Network = liqo.RemoteRanges{PodCIDRs: []string{"10.5.0.0/16"}, ExternalCIDR: "10.6.0.0/16"}
	model.observed(t.Context(), found)
	for attribute, test := range map[string]struct{ got, expected string }{
		"id":                {model.ID.ValueString(), "rome/milan"},
		"client_cluster_id": {model.ClientClusterID.ValueString(), "rome"},
		"server_cluster_id": {model.ServerClusterID.ValueString(), "milan"},
		"client_namespace":  {model.ClientNamespace.ValueString(), "liqo-tenant-milan"},
		"server_namespace":  {model.ServerNamespace.ValueString(), "liqo-tenant-rome"},
		"status":            {model.Status.ValueString(), "Connected"},
		"client_network": {
			model.ClientNetwork.String(),
			`{"external_cidr":"10.2.0.0/16","pod_cidrs":["10.1.0.0/16"],` +
				`"remapped_external_cidr":"10.4.0.0/16","remapped_pod_cidrs":["10.3.0.0/16"]}`,
		},
		"server_network": {
			model.ServerNetwork.String(),
			`{"external_cidr":"10.6.0.0/16","pod_cidrs":["10.5.0.0/16"],` +
				`"remapped_external_cidr":<null>,"remapped_pod_cidrs":<null>}`,
		},
		"server_endpoint": {
			model.ServerEndpoint.String(),
			`{"addresses":["172.18.0.9"],"port":51840,"protocol":"UDP"}`,
		},
	} {
		t.Run(attribute, func(t *testing.T) {
			if test.got != test.expected {
				t.Errorf("%s is %s, expected %s", attribute, test.got, test.expected)
			}
		})
	}
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
			model, found := settled(t), working()
			gateway := func(kinds map[string]attr.Type, pods byte) types.Object {
				return objectWith(t.Context(), kinds, map[string]attr.Value{"pods": podsOf(t, letter(pods))})
			}
			model.Pods = podsOf(t, letter(test.before[0]))
			model.ClientGateway = gateway(clientGatewayTypes, test.before[1])
			model.ServerGateway = gateway(serverGatewayTypes, test.before[2])
			found.ClientGateway, found.ServerGateway = nil, nil
			if test.found[0] != '?' {
				found.ClientGateway = &liqo.GatewaySettings{Role: liqo.ClientRole, Pods: letter(test.found[0])}
			}
			if test.found[1] != '?' {
				found.ServerGateway = &liqo.GatewaySettings{Role: liqo.ServerRole, Pods: letter(test.found[1])}
			}
			model.observed(t.Context(), found)
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
	model := fullySet(t)
	model.ClientNamespace = types.StringUnknown()
	expected := model
	model.observed(t.Context(), shortcut.State{
		Status: shortcut.Disconnected, Client: shortcut.EndState{ClusterID: "rome"},
		Server: shortcut.EndState{ClusterID: "milan"},
	})
	if !model.ServerGateway.Equal(expected.ServerGateway) || !model.ClientGateway.Equal(expected.ClientGateway) ||
		!model.MTU.Equal(expected.MTU) ||
		!model.ServerNamespace.Equal(expected.ServerNamespace) {
		t.Errorf("got %+v", model)
	}
	if !model.ClientNamespace.IsNull() || !model.ServerEndpoint.IsNull() || model.Status.ValueString() != "Disconnected" {
		t.Errorf("got namespace %s, endpoint %s, status %s", model.ClientNamespace, model.ServerEndpoint, model.Status)
	}
}

// settled returns the model of a shortcut over a node port. Its settings leave the endpoint to the server.
func settled(t *testing.T) shortcutModel {
	t.Helper()
	return shortcutModel{
		Client: types.StringValue("rome"), Server: types.StringValue("milan"),
		tunnelModel:   tunnelModel{MTU: types.Int32Value(1340)},
		ServerGateway: defaultServerGateway(t.Context()), ClientGateway: types.ObjectNull(clientGatewayTypes),
		Allow: types.SetNull(ruleType),
	}
}

func working() shortcut.State {
	return shortcut.State{
		Exists: true, Status: shortcut.Connected,
		Client: shortcut.EndState{ClusterID: "rome", LiqoNamespace: "liqo", Namespace: "liqo-tenant-milan"},
		Server: shortcut.EndState{ClusterID: "milan", LiqoNamespace: "liqo", Namespace: "liqo-tenant-rome"},
		ServerGateway: &liqo.GatewaySettings{
			Role:           liqo.ServerRole,
			TunnelSettings: liqo.TunnelSettings{MTU: 1340}, ServiceType: "LoadBalancer", Port: 51840,
			Template: liqo.DefaultTemplate(liqo.ServerRole, "liqo"),
		},
		ServerEndpoint: &liqo.Endpoint{Addresses: []string{"172.18.0.9"}, Port: 51840, Protocol: "UDP"},
		ClientGateway: &liqo.GatewaySettings{
			Role:           liqo.ClientRole,
			TunnelSettings: liqo.TunnelSettings{MTU: 1340}, ServerAddress: "172.18.0.9", ServerPort: 51840,
			Template: liqo.DefaultTemplate(liqo.ClientRole, "liqo"),
		},
	}
}

// Terraform refuses a result in which an attribute of the plan has another value.
func TestAReplicaThatTakesOverDuringAnApplyShowsAtTheNextRefresh(t *testing.T) {
	said, moved := working().ServerEndpoint, working()
	moved.ServerEndpoint = &liqo.Endpoint{Addresses: []string{"172.18.0.10"}, Port: 51840, Protocol: "UDP"}
	for name, planned := range map[string]types.Object{
		"before": objectOf(t.Context(), endpointTypes, said), "unknown": types.ObjectUnknown(endpointTypes),
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

func TestAChangeOfTheMTUThatIsHalfDoneShowsWhateverIsConfigured(t *testing.T) {
	for _, mtus := range [][2]int32{{1340, 1400}, {1400, 1340}, {0, 1340}} {
		model, state := settled(t), working()
		state.ClientGateway.MTU, state.ServerGateway.MTU = int(mtus[0]), int(mtus[1])
		model.observed(t.Context(), state)
		for _, configured := range mtus {
			if model.MTU.Equal(types.Int32Value(configured)) {
				t.Errorf("with %v, a plan for %d changes nothing", mtus, configured)
			}
		}
	}
}

func TestARotationThatIsHalfDoneShowsWhateverIsConfigured(t *testing.T) {
	for _, rotations := range [][2]string{{"first", "second"}, {"second", "first"}, {"", "first"}, {"first", ""}} {
		model, state := settled(t), working()
		state.ClientGateway.KeyRotation, state.ServerGateway.KeyRotation = rotations[0], rotations[1]
		model.observed(t.Context(), state)
		for _, configured := range rotations {
			if configured != "" && model.KeyRotationTrigger.Equal(types.StringValue(configured)) {
				t.Errorf("with %q, a plan for %q changes nothing", rotations, configured)
			}
		}
	}
}
