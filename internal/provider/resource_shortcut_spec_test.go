package provider

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework-nettypes/iptypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
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

// fullySet is a shortcut in which no setting has its default.
func fullySet() shortcutModel {
	model := settled()
	model.MTU = types.Int32Value(1400)
	model.ServerGateway = types.ObjectValueMust(serverGatewayTypes, map[string]attr.Value{
		"service_type": types.StringValue("NodePort"), "port": types.Int32Value(51900), "node_port": types.Int32Value(31000),
		"load_balancer_ip":    iptypes.NewIPAddressValue("192.0.2.10"),
		"service_annotations": textsByName(map[string]string{"speed": "fast"}), "service_labels": textsByName(map[string]string{"team": "network"}),
		"key_secret": types.StringValue("server-keys"), "template": templateNamed("my-server", "g/v1/servers"),
	})
	model.ClientGateway = types.ObjectValueMust(clientGatewayTypes, map[string]attr.Value{
		"connect_address": types.StringValue("milan.example.com"), "connect_port": types.Int32Value(41000),
		"key_secret": types.StringValue("client-keys"), "template": templateNamed("my-client", "g/v1/clients"),
	})
	model.ClientNamespace, model.ServerNamespace = types.StringValue("of-rome"), types.StringValue("of-milan")
	model.ClientNetwork, model.ServerNetwork = networkOf("10.1.0.0/16", "10.2.0.0/16"), networkOf("10.3.0.0/16", "10.4.0.0/16")
	model.CIDRRemapping, model.OnDestroy = types.StringValue(remappingForbidden), types.StringValue(destroyDisconnects)
	model.ShareKeys, model.AdoptExisting = types.BoolValue(false), types.BoolValue(true)
	model.WaitForConnection, model.ForceDestroy, model.DestroyPeering = types.BoolValue(true), types.BoolValue(true), types.BoolValue(true)
	return model
}

// ofKeySecrets is the removal of a shortcut whose gateways were given the Secrets of [fullySet].
func ofKeySecrets() shortcut.Removal {
	return shortcut.Removal{
		ClientKeySecret: end.KeySecret{Namespace: "of-rome", Name: "client-keys"}, ServerKeySecret: end.KeySecret{Namespace: "of-milan", Name: "server-keys"},
	}
}

func TestEverySettingReachesTheLeaves(t *testing.T) {
	model := fullySet()
	expected := shortcut.Spec{
		MTU: 1400,
		Server: end.GatewayServer{
			ServiceType: "NodePort", Port: 51900, NodePort: 31000, LoadBalancerIP: "192.0.2.10",
			ServiceAnnotations: map[string]string{"speed": "fast"}, ServiceLabels: map[string]string{"team": "network"}, KeySecret: "server-keys",
			Template: end.Template{Name: "my-server", Namespace: "custom", Resource: "g/v1/servers"},
		},
		Client: end.GatewayClient{
			ConnectAddress: "milan.example.com", ConnectPort: 41000, KeySecret: "client-keys",
			Template: end.Template{Name: "my-client", Namespace: "custom", Resource: "g/v1/clients"},
		},
		ClientEnd:       shortcut.EndSpec{Namespace: "of-rome", Announcement: end.Announcement{PodCIDRs: []string{"10.1.0.0/16"}, ExternalCIDR: "10.2.0.0/16"}},
		ServerEnd:       shortcut.EndSpec{Namespace: "of-milan", Announcement: end.Announcement{PodCIDRs: []string{"10.3.0.0/16"}, ExternalCIDR: "10.4.0.0/16"}},
		ForbidRemapping: true, KeysByOthers: true, Adopt: true, WaitForConnection: true,
	}
	if spec, diags := model.spec(t.Context(), &model); diags.HasError() || !reflect.DeepEqual(spec, expected) {
		t.Errorf("got      %+v\nexpected %+v (%v)", spec, expected, diags)
	}
	removal := ofKeySecrets()
	removal.KeepConfigurations, removal.EvenFromPeering = true, true
	if got := model.removal(); !reflect.DeepEqual(got, removal) {
		t.Errorf("a destroy is %+v", got)
	}
}

func TestWhatTheConfigurationLeavesToTheLeavesIsLeftToThem(t *testing.T) {
	plan, config := fullySet(), settled() // the plan has what the state has
	plan.ShareKeys, plan.CIDRRemapping, plan.OnDestroy = types.BoolNull(), types.StringValue(remappingAllowed), types.StringValue(destroyResets)
	plan.DestroyPeering = types.BoolValue(false) // force_destroy is only of leaves that are lost
	spec, diags := plan.spec(t.Context(), &config)
	if nothing := (shortcut.EndSpec{}); diags.HasError() || !reflect.DeepEqual(spec.ClientEnd, nothing) || !reflect.DeepEqual(spec.ServerEnd, nothing) {
		t.Errorf("the ends are %+v and %+v (%v)", spec.ClientEnd, spec.ServerEnd, diags)
	}
	if spec.KeysByOthers || spec.ForbidRemapping || !reflect.DeepEqual(plan.removal(), ofKeySecrets()) {
		t.Errorf("got %+v, %+v", spec, plan.removal())
	}
}

func TestTheDefaultsAreThoseOfLiqoctl(t *testing.T) {
	model := settled()
	spec, diags := model.spec(t.Context(), &model)
	expected := shortcut.Spec{MTU: end.DefaultMTU, Server: end.GatewayServer{ServiceType: "LoadBalancer", Port: end.DefaultPort}}
	if diags.HasError() || !reflect.DeepEqual(spec, expected) {
		t.Errorf("got %+v (%v)", spec, diags)
	}
}
