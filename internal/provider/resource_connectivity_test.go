package provider

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/connectivity"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// testedModel returns a liqo_connectivity_test that has passed, with a timeout.
func testedModel(timeout string) *connectivityModel {
	operations := map[string]attr.Type{"create": types.StringType, "update": types.StringType}
	model := &connectivityModel{
		Client: types.StringValue("rome"), Server: types.StringValue("milan"), PacketCount: types.Int32Value(10),
		MaxLossPercent: types.Int32Value(10), OnFailure: types.StringValue(failureFails),
		Triggers: types.MapValueMust(types.StringType, map[string]attr.Value{"run": types.StringValue("1")}),
		Timeouts: timeouts.Value{Object: types.ObjectValueMust(operations, map[string]attr.Value{
			"create": types.StringValue(timeout), "update": types.StringNull(),
		})},
	}
	leaves := pair{client: cluster.Absent("rome", "rome-id"), server: cluster.Absent("milan", "milan-id")}
	model.record(leaves, connectivity.Result{Paths: []connectivity.Path{{
		From: connectivity.Place{Leaf: "rome", Node: "a"}, To: connectivity.Place{Leaf: "milan", Node: "b"},
		Address: "10.71.0.1", Sent: 10, Answered: 9, Largest: 1340,
		Latency: connectivity.Latency{Min: time.Millisecond, Mean: 1500 * time.Microsecond, Max: 2 * time.Millisecond},
	}}})
	return model
}

func TestAConnectivityTestRecordsWhatItHasMeasured(t *testing.T) {
	model := testedModel("1m")
	path := model.Paths.Elements()[0].(types.Object).Attributes() //nolint:errcheck,forcetypeassert // see the schema
	shows(t, map[string][2]any{
		"loss_percent":    {path["loss_percent"], types.Float64Value(10)},
		"latency_mean_ms": {path["latency_mean_ms"], types.Float64Value(1.5)},
		"largest_packet":  {path["largest_packet"], 1340},
		"from_node":       {path["from_node"], `"a"`},
		"status":          {model.Status.ValueString(), testPassed},
		"path_mtu":        {model.PathMTU, 1340},
		"central latency": {model.CentralLatency, "<null>"},
		"id":              {model.ID, `"rome-id/milan-id"`},
	})
}

func TestAConnectivityTestWithoutAnswersRecordsNoZeros(t *testing.T) {
	model := testedModel("1m")
	leaves := pair{client: cluster.Absent("rome", "rome"), server: cluster.Absent("milan", "milan")}
	model.record(leaves, connectivity.Result{
		Paths: []connectivity.Path{{Sent: 10}},
		Faults: []connectivity.Fault{
			{Hop: connectivity.HopTunnel, Problem: trouble.Problem{Summary: "the tunnel is down", Evidence: []string{"a", "b"}}},
		},
		Central: &connectivity.Central{ID: "europe", Latency: 40 * time.Millisecond},
	})
	path := model.Paths.Elements()[0].(types.Object).Attributes()   //nolint:errcheck,forcetypeassert // see the schema
	fault := model.Faults.Elements()[0].(types.Object).Attributes() //nolint:errcheck,forcetypeassert // see the schema
	shows(t, map[string][2]any{
		"latency_min_ms":  {path["latency_min_ms"], "<null>"},
		"largest_packet":  {path["largest_packet"], "<null>"},
		"path_mtu":        {model.PathMTU, "<null>"},
		"status":          {model.Status.ValueString(), testFailed},
		"leaf":            {fault["leaf"], "<null>"},
		"summary":         {fault["summary"], `"The tunnel is down"`},
		"evidence":        {fault["evidence"], types.StringValue("a\nb")},
		"central latency": {model.CentralLatency, types.Float64Value(40)},
		"central cluster": {model.CentralClusterID, `"europe"`},
	})
}

func TestEachFaultIsAnErrorWithItsEvidenceAndAdvice(t *testing.T) {
	diags := faultErrors([]connectivity.Fault{
		{Problem: trouble.Problem{
			ID: "tunnel-lossy", Summary: "packets get lost",
			Evidence: []string{"none arrives.", "The tunnel is up."}, Advice: "Look.",
		}},
		{Problem: trouble.Problem{ID: "tunnel-down", Summary: "the tunnel is down", Evidence: []string{"Why."}}},
	})
	if len(diags) != 2 || diags[0].Summary() != "Packets get lost" ||
		beforeHelp(t, diags[0]) != "None arrives.\nThe tunnel is up.\n\nLook." || beforeHelp(t, diags[1]) != "Why." {
		t.Errorf("got %v", diags)
	}
}

// plannedTest plans a change of a liqo_connectivity_test. Terraform takes every result for unknown.
func plannedTest(t *testing.T, state, config *connectivityModel) connectivityModel {
	t.Helper()
	ctx := t.Context()
	r := &connectivityResource{}
	var schema resource.SchemaResponse
	r.Schema(ctx, resource.SchemaRequest{}, &schema)
	empty := tftypes.NewValue(schema.Schema.Type().TerraformType(ctx), nil)
	prior, plan := tfsdk.State{Schema: schema.Schema, Raw: empty}, tfsdk.Plan{Schema: schema.Schema, Raw: empty}
	planned := *config
	planned.TestedAt, planned.Status = types.StringUnknown(), types.StringUnknown()
	sound(t, prior.Set(ctx, state))
	sound(t, plan.Set(ctx, &planned))
	resp := resource.ModifyPlanResponse{Plan: plan}
	r.ModifyPlan(ctx, resource.ModifyPlanRequest{State: prior, Plan: plan}, &resp)
	var got connectivityModel
	sound(t, resp.Diagnostics)
	sound(t, resp.Plan.Get(ctx, &got))
	return got
}

func TestOnlyAnotherTestIsRepeated(t *testing.T) {
	state := testedModel("1m")
	if got := plannedTest(t, state, testedModel("2m")); !got.TestedAt.Equal(state.TestedAt) ||
		!strings.Contains(got.Timeouts.String(), "2m") {
		t.Errorf("another timeout: tested at %s, %s", got.TestedAt, got.Timeouts)
	}
	for name, change := range map[string]func(*connectivityModel){
		"another trigger": func(m *connectivityModel) { m.Triggers = types.MapNull(types.StringType) },
		"another leaf":    func(m *connectivityModel) { m.Server = types.StringValue("naples") },
		"more packets":    func(m *connectivityModel) { m.PacketCount = types.Int32Value(20) },
		"no error any more": func(m *connectivityModel) {
			m.OnFailure = types.StringValue(failureRecorded)
		},
	} {
		t.Run(name, func(t *testing.T) {
			config := testedModel("1m")
			change(config)
			if got := plannedTest(t, state, config); !got.TestedAt.IsUnknown() {
				t.Error("it is not repeated")
			}
		})
	}
}
