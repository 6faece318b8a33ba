package provider

import (
	"encoding/base64"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// These tests follow every setting of the resources for one end from a configuration through the plan to a leaf, and
// back into the state. They find the settings in the schemas.

// endCase is one of these resources, for a test.
type endCase struct {
	schema schema.Schema
	least  values // the smallest configuration
	// apply applies a plan on a leaf, and returns the state. Without a plan, it returns the state after an import.
	apply func(t *testing.T, leaf *cluster.Leaf, plan *tftypes.Value) values
}

// newEndCase returns a resource whose smallest configuration has more than the attributes of all of these resources.
func newEndCase[M any, P endModel[M]](t *testing.T, of any, more values) endCase {
	t.Helper()
	whole := of.(*managed[M, P])                   //nolint:errcheck,forcetypeassert // the test's
	tested := whole.lifecycle.(*endResource[M, P]) //nolint:errcheck,forcetypeassert // the test's
	tested.leaves = &leaves{}
	h := endCase{schema: whole.schema(t.Context()), least: values{
		"cluster": text("milan"), "remote_cluster_id": text("rome"), "namespace": text("own"),
	}}
	maps.Copy(h.least, more)
	h.apply = func(t *testing.T, leaf *cluster.Leaf, plan *tftypes.Value) values {
		t.Helper()
		model, own := P(new(M)), ownership{Token: "mine"}
		state := tfsdk.State{Schema: h.schema, Raw: tftypes.NewValue(typeOf(h.schema), nil)}
		if plan == nil {
			own.Claims = true
			sound(t, setAttributes(t.Context(), &state, importedEndAttributes(leaf, "rome")))
			sound(t, state.Get(t.Context(), model))
		} else {
			sound(t, tfsdk.Plan{Schema: h.schema, Raw: *plan}.Get(t.Context(), model))
		}
		one := tested.object(leaf, model, own)
		if plan != nil {
			must(t, model.ensure(t.Context(), one, model.common().Namespace.ValueString()))
		}
		observed, err := one.Observe(t.Context())
		if err != nil || !observed.Exists {
			t.Fatalf("it is %+v (%v)", observed, err)
		}
		model.common().observed(leaf, observed, own)
		sound(t, model.observed(t.Context(), observed))
		sound(t, state.Set(t.Context(), model))
		return valuesOf(t, state.Raw)
	}
	return h
}

// base64Key returns a public key whose first byte is this one.
func base64Key(first byte) tftypes.Value {
	return text(base64.StdEncoding.EncodeToString(append([]byte{first}, make([]byte, 31)...)))
}

// endCases returns the resources for one end, by their type.
func endCases(t *testing.T) map[string]endCase {
	t.Helper()
	return map[string]endCase{
		"liqo_configuration": newEndCase[configurationModel](t, newConfigurationResource(), values{
			"pod_cidrs": listOf(text("10.1.0.0/16")), "external_cidr": text("10.2.0.0/16"),
		}),
		"liqo_gateway_server": newEndCase[gatewayServerModel](t, newGatewayServerResource(), nil),
		"liqo_gateway_client": newEndCase[gatewayClientModel](t, newGatewayClientResource(), values{
			"server_address": text("192.0.2.1"), "server_port": number(51840),
		}),
		"liqo_public_key": newEndCase[publicKeyModel](t, newPublicKeyResource(), values{"public_key": base64Key(1)}),
	}
}

// others has another value of each setting than the smallest configurations and the defaults.
var others = values{
	"remote_cluster_id": text("naples"), "namespace": text("other"),
	"pod_cidrs": listOf(text("10.1.0.0/17"), text("10.1.128.0/17")), "external_cidr": text("10.2.0.0/17"),
	"public_key": base64Key(2), "mtu": number(1400), "key_rotation_trigger": text("second"),
	"service_type": text("ClusterIP"), "port": number(51900), "node_port": number(31000),
	"load_balancer_ip": text("192.0.2.10"), "key_secret_name": text("other"),
	"service_annotations": textByName("other", text("one")), "service_labels": textByName("other", text("one")),
	"template.name": text("other"), "template.namespace": text("other"),
	"liqo_gateway_server/template.resource": text(liqo.DefaultClientTemplateResource),
	"liqo_gateway_client/template.resource": text(liqo.DefaultServerTemplateResource),
	"server_address":                        text("milan.example.com"), "server_port": number(31000),
	"pods.replicas": number(2), "pods.lease_duration": text("4s"), "pods.node_selector": textByName("other", text("one")),
	"pods.tolerations": someTolerations(), "pods.topology_key": text("other"), "pods.priority_class_name": text("other"),
	"pods.resources": someResourcesOf("gateway"), "pods.annotations": textByName("other", text("one")),
	"pods.labels": textByName("other", text("one")), "allow": onlyRule(values{"protocol": text(liqo.ICMP)}),
}

// changed returns a configuration with a setting, and the plan that it gives.
func (h endCase) changed(
	t *testing.T, typeName, setting string, value tftypes.Value,
) (configured values, plan tftypes.Value) {
	t.Helper()
	configured = maps.Clone(h.least)
	configured[setting] = value
	switch setting {
	case "node_port":
		configured["service_type"] = text("NodePort")
	case "pods.lease_duration", "pods.topology_key":
		configured["pods.replicas"] = number(2)
	}
	config := configured.of(typeOf(h.schema))
	if problem := validatedAs(t, typeName, config); problem != "" {
		t.Fatal(problem)
	}
	return configured, plannedAs(t, typeName, config)
}

func milanForEnds(t *testing.T) *cluster.Leaf {
	t.Helper()
	return leafOfLiqos(t, "milan", "10.3.0.0/16", "10.4.0.0/16")
}

func TestEverySettingOfAnEndObjectGoesToTheLeafAndBack(t *testing.T) {
	for typeName, h := range endCases(t) {
		for _, setting := range settings(h.schema.Attributes, "") {
			if setting == "cluster" || strings.HasPrefix(setting, "timeouts.") {
				continue // no leaf shows it
			}
			t.Run(typeName+"/"+setting, func(t *testing.T) {
				value, listed := others[setting]
				if !listed {
					value, listed = others[typeName+"/"+setting]
				}
				if !listed {
					t.Fatal("there is no other value for it")
				}
				configured, plan := h.changed(t, typeName, setting, value)
				_, before := h.changed(t, typeName, "cluster", text("milan"))
				leaf := milanForEnds(t)
				if usual := h.apply(t, leaf, &before); usual[setting].Equal(value) {
					t.Errorf("it is %s although it is not set", value)
				}
				if setting == "remote_cluster_id" || setting == "namespace" { // they replace the resource
					leaf = milanForEnds(t)
				}
				for story, state := range map[string]values{
					"after a create": h.apply(t, milanForEnds(t), &plan), "after an update": h.apply(t, leaf, &plan),
				} {
					for name, planned := range valuesOf(t, plan) {
						if planned.IsFullyKnown() && !state[name].Equal(planned) {
							t.Errorf("%s, %s is %s, expected %s", story, name, state[name], planned)
						}
						if !planned.IsFullyKnown() && (state[name].IsNull() || !state[name].IsFullyKnown()) {
							t.Errorf("%s, %s is %s, although the plan has promised a value", story, name, state[name])
						}
					}
					if !state[setting].Equal(configured[setting]) {
						t.Errorf("%s, it is %s", story, state[setting])
					}
				}
				if setting != "remote_cluster_id" {
					if state := h.apply(t, leaf, nil); !state[setting].Equal(value) {
						t.Errorf("after an import, it is %s", state[setting])
					}
				}
			})
		}
	}
}

func TestAnEndObjectRejectsWhatLiqoCannotUse(t *testing.T) {
	all := endCases(t)
	for _, test := range []struct {
		typeName, setting string
		value             tftypes.Value
		says              string
	}{
		{"liqo_configuration", "pod_cidrs", listOf(text("fd00::/48")), "Not an IPv4 range"},
		{"liqo_configuration", "pod_cidrs", listOf(text("10.1.0.5/16")), "Host bits in a CIDR"},
		{"liqo_configuration", "external_cidr", text("fd00::/48"), "Not an IPv4 range"},
		{"liqo_configuration", "remote_cluster_id", text("Rome/1"), "Not a cluster ID"},
		{"liqo_public_key", "public_key", text("c2hvcnQ="), "Not a public key"},
		{"liqo_public_key", "public_key", text("?"), "Not a public key"},
		{"liqo_gateway_server", "node_port", number(31000), "node_port without NodePort"},
		{"liqo_gateway_server", "timeouts.create", text("0s"), "Timeout must be positive"},
		{"liqo_gateway_client", "server_address", text("192.0.2.1:51840"), "Not an address"},
	} {
		t.Run(test.typeName+"/"+test.setting, func(t *testing.T) {
			configured := maps.Clone(all[test.typeName].least)
			configured[test.setting] = test.value
			clustertest.Has(t, validatedAs(t, test.typeName, configured.of(typeOf(all[test.typeName].schema))), test.says)
		})
	}
}

func TestAPlanPromisesTheKeyAndTheAddressOnlyWhileTheyStay(t *testing.T) {
	other, none := types.StringValue("other"), types.ObjectNull(endpointTypes)
	state := gatewayServerModel{
		endGatewayModel: endGatewayModel{
			tunnelModel: tunnelModel{MTU: types.Int32Value(1340)},
			PublicKey:   types.StringValue("key"), Status: types.StringValue("Connected"),
		},
		serverGatewayModel: serverGatewayModel{ServiceAnnotations: types.MapNull(types.StringType)},
		Endpoint: objectOf(t.Context(), endpointTypes, &liqo.Endpoint{
			Addresses: []string{"192.0.2.1"}, Port: 51840, Protocol: "UDP",
		}),
	}
	for name, test := range map[string]struct {
		change       func(plan, state *gatewayServerModel)
		key, address bool // whether they are promised
	}{
		"nothing":  {func(_, _ *gatewayServerModel) {}, true, true},
		"the MTU":  {func(plan, _ *gatewayServerModel) { plan.MTU = types.Int32Value(1400) }, true, true},
		"the port": {func(plan, _ *gatewayServerModel) { plan.Port = types.Int32Value(1) }, true, false},
		"the pods": {func(plan, _ *gatewayServerModel) { plan.Pods = twoReplicas(t) }, true, true},
		"the pods of a node port": {func(plan, state *gatewayServerModel) {
			plan.ServiceType, state.ServiceType = types.StringValue("NodePort"), types.StringValue("NodePort")
			plan.Pods = twoReplicas(t)
		}, true, false},
		"the rotation":   {func(plan, _ *gatewayServerModel) { plan.KeyRotationTrigger = other }, false, true},
		"the Secret":     {func(plan, _ *gatewayServerModel) { plan.KeySecretName = other }, false, false},
		"a lost key":     {func(_, state *gatewayServerModel) { state.PublicKey = types.StringNull() }, false, false},
		"a lost Service": {func(_, state *gatewayServerModel) { state.Endpoint = none }, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			plan, before := state, state
			test.change(&plan, &before)
			plan.planComputed(t.Context(), &before)
			if given(plan.PublicKey) != test.key || given(plan.Endpoint) != test.address {
				t.Errorf("the key is %s and the endpoint %s", plan.PublicKey, plan.Endpoint)
			}
		})
	}
}

func TestTheNameInTheImportIDOfAnEndObjectMayHaveSlashes(t *testing.T) {
	for id, expected := range map[string][2]string{
		"milan/rome": {"milan", "rome"}, "arn:aws:eks:eu:1:cluster/milan/rome": {"arn:aws:eks:eu:1:cluster/milan", "rome"},
		"": {}, "rome": {}, "/rome": {}, "milan/": {},
	} {
		t.Run(id, func(t *testing.T) {
			if name, remote := splitEndID(id); name != expected[0] || remote != expected[1] {
				t.Errorf("%q is %q and %q", id, name, remote)
			}
		})
	}
}

func TestAnImportOfAnEndOnAnUnknownClusterSaysWhatItsIDMustBe(t *testing.T) {
	leaves := withClusters(t, nil, unknownNames{})
	_, _, diags := leaves.importedEnd(t.Context(), resource.ImportStateRequest{ID: "turin/milan"})
	if len(diags) != 1 || diags[0].Summary() != "Unknown leaf turin" {
		t.Fatalf("got %v", diags)
	}
	clustertest.Has(t, diags[0].Detail(), "The import ID must be `cluster/remote_cluster_id`")
}
