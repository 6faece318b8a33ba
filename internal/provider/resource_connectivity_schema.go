package provider

import (
	"context"
	"reflect"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int32validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int32default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/connectivity"
)

// Values of on_failure and status.
const (
	failureFails    = "fail"
	failureRecorded = "record"
	testPassed      = "Passed"
	testFailed      = "Failed"
)

// Schema implements [resource.Resource].
func (r *connectivityResource) Schema(
	ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse,
) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Sends packets from pod to pod between two leaves, in both directions, and names the hop " +
			"that drops them. It runs when the resource is created, and again when `triggers` or another attribute " +
			"changes. A plan and a refresh send no packets.",
		Attributes: map[string]schema.Attribute{
			"client": schema.StringAttribute{Required: true, MarkdownDescription: testClientText, Validators: anyName()},
			"server": schema.StringAttribute{Required: true, MarkdownDescription: testServerText, Validators: anyName()},
			"max_nodes": schema.Int32Attribute{
				Optional: true, MarkdownDescription: testMaxNodesText, Validators: between(1, connectivity.MostNodes),
			},
			"image": schema.StringAttribute{Optional: true, MarkdownDescription: testImageText, Validators: anyName()},
			"packet_count": schema.Int32Attribute{
				Optional: true, Computed: true, Default: int32default.StaticInt32(defaultPacketCount),
				MarkdownDescription: testPacketCountText, Validators: between(2, mostPackets),
			},
			"max_loss_percent": schema.Int32Attribute{
				Optional: true, Computed: true, Default: int32default.StaticInt32(defaultMaxLossPercent),
				MarkdownDescription: testMaxLossText, Validators: between(0, 99),
			},
			"on_failure": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(failureFails),
				MarkdownDescription: "What a failed test does. `fail`: the apply fails, and the next apply repeats the " +
					"test. `record`: the apply succeeds, `status` is `Failed`, and `faults` says why. The shortcut stays in " +
					"either case. Default: `fail`.",
				Validators: []validator.String{stringvalidator.OneOf(failureFails, failureRecorded)},
			},
			"triggers": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Any values. A change repeats the test. Refer to attributes of the shortcut, so that " +
					"the test comes after it.",
			},
			"timeouts": timeouts.Attributes(ctx, timeouts.Opts{
				Create: true, CreateDescription: "Maximum time of the test. Default: `10m`.",
				Update: true, UpdateDescription: "Maximum time of a repeated test. Default: `10m`.",
			}),

			"id":                measuredText("The two cluster IDs, as `client_cluster_id/server_cluster_id`."),
			"client_cluster_id": measuredText("Liqo's cluster ID of `client`."),
			"server_cluster_id": measuredText("Liqo's cluster ID of `server`."),
			"tested_at":         measuredText("When the test ended, in RFC 3339."),
			"status":            measuredText("`Passed`, or `Failed` with `on_failure = \"record\"`."),
			"path_mtu": schema.Int32Attribute{
				Computed: true,
				MarkdownDescription: "Size in bytes of the largest packet that passes unfragmented on every path. If it is " +
					"less than the shortcut's `mtu`, it is the largest useful one. Null if it was not measured.",
			},
			"tunnel_latency_ms": latencyAttribute("Round-trip time between the gateways, as they measured it last. Right " +
				"after a create, this is the first ping, which takes longer. Null without a measurement."),
			"central_latency_ms": latencyAttribute("Round-trip time between the gateways through another cluster with " +
				"which both leaves have a network, such as the central cluster. Compare it with `latency_mean_ms` of " +
				"`paths`. Null if there is none."),
			"central_cluster_id": measuredText("Liqo's cluster ID of that cluster."),
			"paths": schema.ListNestedAttribute{
				Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: connectivityPathAttributes()},
				MarkdownDescription: "Results for each two nodes, in both directions, first from `client` to `server`.",
			},
			"faults": schema.ListNestedAttribute{
				Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: connectivityFaultAttributes()},
				MarkdownDescription: "The hops that drop packets. Empty if the test has passed.",
			},
		},
	}
}

// anyName returns the validators of a name.
func anyName() []validator.String { return []validator.String{stringvalidator.LengthAtLeast(1)} }

func between(least, most int32) []validator.Int32 {
	return []validator.Int32{int32validator.Between(least, most)}
}

// measuredText returns the schema of a text that each run of a test may change.
func measuredText(description string) schema.Attribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

func latencyAttribute(description string) schema.Attribute {
	return schema.Float64Attribute{Computed: true, MarkdownDescription: description + " In milliseconds."}
}

func connectivityPathAttributes() map[string]schema.Attribute {
	count := func(description string) schema.Attribute {
		return schema.Int32Attribute{Computed: true, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"from_leaf":       measuredText("Leaf of the pod that sends."),
		"from_node":       measuredText("Its node."),
		"to_leaf":         measuredText("Leaf of the pod that answers."),
		"to_node":         measuredText("Its node."),
		"address":         measuredText("Address at which that pod was reached: the remapped one, if there is one."),
		"sent":            count("Number of packets sent."),
		"answered":        count("Number of packets answered."),
		"loss_percent":    schema.Float64Attribute{Computed: true, MarkdownDescription: "Share of packets lost, in percent."},
		"latency_min_ms":  latencyAttribute("Least round-trip time. Null if nothing was answered."),
		"latency_mean_ms": latencyAttribute("Mean round-trip time. Null if nothing was answered."),
		"latency_max_ms":  latencyAttribute("Largest round-trip time. Null if nothing was answered."),
		"largest_packet": count("Size in bytes of the largest packet that passes unfragmented, up to the tunnel's MTU. " +
			"Null if it was not measured."),
	}
}

func connectivityFaultAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"hop": measuredText("`Pod`: between a pod and its node. `Node`: the node does not lead packets for the remote " +
			"leaf to the gateway. `Overlay`: between a node and its leaf's gateway. `Gateway`: between the overlay and " +
			"the tunnel. `Tunnel`: between the two gateways. `Unknown`: the test could not find it."),
		"leaf":     measuredText("Leaf of the hop. Null if it may be either, and for `Tunnel`."),
		"node":     measuredText("Node of the hop. Null if it is not on one node."),
		"summary":  measuredText("What is wrong, in a few words."),
		"evidence": measuredText("What was observed."),
		"advice":   measuredText("What to do."),
	}
}

// connectivityModel is a liqo_connectivity_test in configuration, plan and state.
type connectivityModel struct {
	Client           types.String   `tfsdk:"client"`
	Server           types.String   `tfsdk:"server"`
	MaxNodes         types.Int32    `tfsdk:"max_nodes"`
	Image            types.String   `tfsdk:"image"`
	PacketCount      types.Int32    `tfsdk:"packet_count"`
	MaxLossPercent   types.Int32    `tfsdk:"max_loss_percent"`
	OnFailure        types.String   `tfsdk:"on_failure"`
	Triggers         types.Map      `tfsdk:"triggers"`
	Timeouts         timeouts.Value `tfsdk:"timeouts"`
	ID               types.String   `tfsdk:"id"`
	ClientClusterID  types.String   `tfsdk:"client_cluster_id"`
	ServerClusterID  types.String   `tfsdk:"server_cluster_id"`
	TestedAt         types.String   `tfsdk:"tested_at"`
	Status           types.String   `tfsdk:"status"`
	PathMTU          types.Int32    `tfsdk:"path_mtu"`
	TunnelLatency    types.Float64  `tfsdk:"tunnel_latency_ms"`
	CentralLatency   types.Float64  `tfsdk:"central_latency_ms"`
	CentralClusterID types.String   `tfsdk:"central_cluster_id"`
	Paths            types.List     `tfsdk:"paths"`
	Faults           types.List     `tfsdk:"faults"`
}

func (m *connectivityModel) input() connectivityInput {
	return connectivityInput{
		Client: m.Client, Server: m.Server, MaxNodes: m.MaxNodes, Image: m.Image, PacketCount: m.PacketCount,
		MaxLossPercent: m.MaxLossPercent,
	}
}

// asks reports whether both models ask for the same test.
func (m *connectivityModel) asks(other connectivityModel) bool {
	return reflect.DeepEqual(m.input(), other.input()) && m.OnFailure.Equal(other.OnFailure) &&
		m.Triggers.Equal(other.Triggers)
}

// The types of an entry of `paths` and of `faults`.
var (
	connectivityPathTypes  = attributeTypes(connectivityPathAttributes())
	connectivityFaultTypes = attributeTypes(connectivityFaultAttributes())
)

// record copies the result of a test into the model.
func (m *connectivityModel) record(ends pair, result connectivity.Result) {
	client, server := string(ends.client.ID), string(ends.server.ID)
	m.ClientClusterID, m.ServerClusterID = types.StringValue(client), types.StringValue(server)
	m.ID = types.StringValue(client + "/" + server)
	m.TestedAt, m.Status = types.StringValue(time.Now().UTC().Format(time.RFC3339)), types.StringValue(testPassed)
	if len(result.Faults) > 0 {
		m.Status = types.StringValue(testFailed)
	}
	m.PathMTU = int32OrNull(int32(result.PathMTU())) //nolint:gosec // at most the largest IPv4 packet
	m.TunnelLatency = millisecondsOrNull(result.Tunnel)
	m.CentralLatency, m.CentralClusterID = types.Float64Null(), types.StringNull()
	if central := result.Central; central != nil {
		m.CentralLatency, m.CentralClusterID = millisecondsOrNull(central.Latency), types.StringValue(string(central.ID))
	}
	paths := make([]attr.Value, len(result.Paths))
	for i := range result.Paths {
		paths[i] = connectivityPathValue(&result.Paths[i])
	}
	m.Paths = types.ListValueMust(types.ObjectType{AttrTypes: connectivityPathTypes}, paths)
	faults := make([]attr.Value, len(result.Faults))
	for i, fault := range result.Faults {
		faults[i] = connectivityFaultValue(fault)
	}
	m.Faults = types.ListValueMust(types.ObjectType{AttrTypes: connectivityFaultTypes}, faults)
}
