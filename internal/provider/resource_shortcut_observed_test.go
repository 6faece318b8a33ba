package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

func TestTheStateTakesOverWhatTheLeavesShow(t *testing.T) {
	model, found := settled(), working()
	found.Client.Network = end.Network{
		PodCIDRs: []string{"10.1.0.0/16"}, ExternalCIDR: "10.2.0.0/16", RemappedPodCIDRs: []string{"10.3.0.0/16"}, RemappedExternalCIDR: "10.4.0.0/16",
	}
	found.Server.Network = end.Network{PodCIDRs: []string{"10.5.0.0/16"}, ExternalCIDR: "10.6.0.0/16"} // not decided yet
	if diags := model.observed(t.Context(), found); diags.HasError() {
		t.Fatal(diags)
	}
	for attribute, test := range map[string]struct{ got, expected string }{
		"id":                {model.ID.ValueString(), "rome/milan"},
		"client_cluster_id": {model.ClientClusterID.ValueString(), "rome"},
		"server_cluster_id": {model.ServerClusterID.ValueString(), "milan"},
		"client_namespace":  {model.ClientNamespace.ValueString(), "liqo-tenant-milan"},
		"server_namespace":  {model.ServerNamespace.ValueString(), "liqo-tenant-rome"},
		"status":            {model.Status.ValueString(), "Connected"},
		"client_network": {
			model.ClientNetwork.String(),
			`{"external_cidr":"10.2.0.0/16","pod_cidrs":["10.1.0.0/16"],"remapped_external_cidr":"10.4.0.0/16","remapped_pod_cidrs":["10.3.0.0/16"]}`,
		},
		"server_network": {
			model.ServerNetwork.String(),
			`{"external_cidr":"10.6.0.0/16","pod_cidrs":["10.5.0.0/16"],"remapped_external_cidr":<null>,"remapped_pod_cidrs":<null>}`,
		},
		"server_endpoint": {model.ServerEndpoint.String(), `{"addresses":["172.18.0.9"],"port":51840,"protocol":"UDP"}`},
	} {
		if test.got != test.expected {
			t.Errorf("%s is %s, expected %s", attribute, test.got, test.expected)
		}
	}
}

func TestEverySettingOfAGatewayIsReadFromTheLeaf(t *testing.T) {
	expected := fullySet()
	spec, diags := expected.spec(t.Context(), &expected)
	if diags.HasError() {
		t.Fatal(diags)
	}
	found := working()
	found.ServerGateway, found.ClientGateway, found.Client.MTU, found.Server.MTU = &spec.Server, &spec.Client, 1400, 1400
	imported := shortcutModel{ServerGateway: types.ObjectNull(serverGatewayTypes), ClientGateway: types.ObjectNull(clientGatewayTypes)}
	for name, model := range map[string]shortcutModel{"as it was set": expected, "imported": imported} {
		if diags := model.observed(t.Context(), found); diags.HasError() {
			t.Fatal(diags)
		}
		if !model.ServerGateway.Equal(expected.ServerGateway) || !model.ClientGateway.Equal(expected.ClientGateway) || model.MTU.ValueInt32() != 1400 {
			t.Errorf("%s: it is %s and %s, MTU %s", name, model.ServerGateway, model.ClientGateway, model.MTU)
		}
	}
}

func TestWhatIsMissingOnTheLeavesKeepsWhatWasSet(t *testing.T) {
	model := fullySet()
	model.ClientNamespace = types.StringUnknown()
	expected := model
	diags := model.observed(t.Context(), shortcut.State{
		Status: shortcut.Disconnected, Client: shortcut.EndState{ClusterID: "rome"}, Server: shortcut.EndState{ClusterID: "milan"},
	})
	if diags.HasError() {
		t.Fatal(diags)
	}
	if !model.ServerGateway.Equal(expected.ServerGateway) || !model.ClientGateway.Equal(expected.ClientGateway) || !model.MTU.Equal(expected.MTU) ||
		!model.ServerNamespace.Equal(expected.ServerNamespace) {
		t.Errorf("got %+v", model)
	}
	if !model.ClientNamespace.IsNull() || !model.ServerEndpoint.IsNull() || model.Status.ValueString() != "Disconnected" {
		t.Errorf("there are a namespace %s, an endpoint %s, a status %s", model.ClientNamespace, model.ServerEndpoint, model.Status)
	}
}
