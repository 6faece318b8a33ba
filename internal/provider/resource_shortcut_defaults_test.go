package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// plannedWithoutLeaves is what a plan makes of a configuration while the provider knows no leaf yet.
func plannedWithoutLeaves(t *testing.T, values map[string]tftypes.Value) map[string]tftypes.Value {
	t.Helper()
	var schema resource.SchemaResponse
	newShortcutResource().Schema(t.Context(), resource.SchemaRequest{}, &schema)
	object, ok := schema.Schema.Type().TerraformType(t.Context()).(tftypes.Object)
	if !ok {
		t.Fatal("the schema is no object")
	}
	config, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, filled(object, values)))
	if err != nil {
		t.Fatal(err)
	}
	none, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, nil))
	if err != nil {
		t.Fatal(err)
	}
	response, err := providerserver.NewProtocol6(New("test"))().PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "liqo_shortcut", Config: &config, ProposedNewState: &config, PriorState: &none,
	})
	if err != nil || len(response.Diagnostics) > 0 {
		t.Fatalf("%v %v", err, response.Diagnostics)
	}
	planned, err := response.PlannedState.Unmarshal(object)
	if err != nil {
		t.Fatal(err)
	}
	var attributes map[string]tftypes.Value
	if err := planned.As(&attributes); err != nil {
		t.Fatal(err)
	}
	return attributes
}

func TestWhatIsNotSetHasItsDefault(t *testing.T) {
	planned := plannedWithoutLeaves(t, map[string]tftypes.Value{"client": text("rome"), "server": text("milan")})
	yes, no := tftypes.NewValue(tftypes.Bool, true), tftypes.NewValue(tftypes.Bool, false)
	for name, expected := range map[string]tftypes.Value{
		"mtu": number(1340), "wait_for_connection": yes, "share_keys": yes, "cidr_remapping": text("allow"), "adopt_existing": no,
		"on_destroy": text("reset"), "force_destroy": no, "destroy_peering_network": no,
	} {
		if !planned[name].Equal(expected) {
			t.Errorf("%s is %s, expected %s", name, planned[name], expected)
		}
	}
	var gateway map[string]tftypes.Value
	if err := planned["server_gateway"].As(&gateway); err != nil {
		t.Fatal(err)
	}
	for name, value := range gateway {
		switch name {
		case "service_type":
			if !value.Equal(text("LoadBalancer")) {
				t.Errorf("the Service is of type %s", value)
			}
		case "port":
			if !value.Equal(number(51840)) {
				t.Errorf("the port is %s", value)
			}
		default:
			if !value.IsNull() {
				t.Errorf("%s is %s", name, value)
			}
		}
	}
	if !planned["client_gateway"].IsNull() {
		t.Errorf("client_gateway is %s", planned["client_gateway"])
	}
}

func TestWhatOnlyTheLeavesKnowIsKnownAfterTheApply(t *testing.T) {
	planned := plannedWithoutLeaves(t, map[string]tftypes.Value{"client": text("rome"), "server": text("milan")})
	for _, name := range []string{
		"id", "client_cluster_id", "server_cluster_id", "client_namespace", "server_namespace", "client_network", "server_network", "server_endpoint", "status",
	} {
		if planned[name].IsKnown() {
			t.Errorf("%s is %s", name, planned[name])
		}
	}
}
