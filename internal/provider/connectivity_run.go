package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/leafmesh/terraform-provider-liqo/internal/connectivity"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Defaults and limits of a connectivity test.
const (
	defaultPacketCount    = 10
	mostPackets           = 1000
	defaultMaxLossPercent = 10
)

// connectivityInput has the attributes of a connectivity test that the resource and the action have in common.
type connectivityInput struct {
	Client         types.String `tfsdk:"client"`
	Server         types.String `tfsdk:"server"`
	MaxNodes       types.Int32  `tfsdk:"max_nodes"`
	Image          types.String `tfsdk:"image"`
	PacketCount    types.Int32  `tfsdk:"packet_count"`
	MaxLossPercent types.Int32  `tfsdk:"max_loss_percent"`
}

// The descriptions of these attributes.
const (
	testClientText   = "Name of one leaf, in the provider's `clusters` or kubeconfig."
	testServerText   = "Name of the other leaf."
	testMaxNodesText = "Largest number of nodes of each leaf with pods, from 1 to 20: the gateway's node first, then " +
		"others by name. Nodes that are not ready, cordoned, tainted or virtual are left out. Default: 20."
	testImageText = "Image of the pods, with a POSIX shell and the `ping` of iputils without file capabilities, as in " +
		"Alpine Linux. Default: that of each leaf's gateway."
	testPacketCountText = "Number of packets to each pod, one every 200 ms, from 2 to 1000. Default: `10`."
	testMaxLossText     = "Share of packets that may get lost, in percent, from 0 to 99. Default: `10`."
)

// testConnectivity runs a test between two leaves, and logs its progress. The diagnostics say why it could not run, or
// what it could not remove. Progress may be nil.
func (l *leaves) testConnectivity(
	ctx context.Context, input connectivityInput, progress func(string),
) (pair, connectivity.Result, diag.Diagnostics) {
	ends := l.connect(ctx, input.Client.ValueString(), input.Server.ValueString())
	diags := ends.errors()
	if diags.Append(ends.differ()...); diags.HasError() {
		return ends, connectivity.Result{}, diags
	}
	options := connectivity.Options{
		MaxNodes: int(input.MaxNodes.ValueInt32()), Image: input.Image.ValueString(),
		PacketCount: defaultPacketCount, MaxLossPercent: defaultMaxLossPercent,
		Progress: func(step string) {
			tflog.Info(ctx, step)
			if progress != nil {
				progress(step)
			}
		},
	}
	if given(input.PacketCount) {
		options.PacketCount = int(input.PacketCount.ValueInt32())
	}
	if given(input.MaxLossPercent) {
		options.MaxLossPercent = int(input.MaxLossPercent.ValueInt32())
	}
	result, err := connectivity.New(ends.client, ends.server, options).Run(ctx)
	switch {
	case err == nil:
	case len(result.Paths) > 0:
		diags.Append(failureOf("test-pods-kept", "Pods of the test may stay", err,
			"They end by themselves. The next test between the two leaves removes them.").asWarning())
	default:
		diags.Append(failureOf("test-not-run", "The connectivity test could not run", err).asError())
	}
	return ends, result, diags
}

// faultErrors returns an error for each fault. The shortcut stays as it is.
func faultErrors(faults []connectivity.Fault) diag.Diagnostics {
	var diags diag.Diagnostics
	for i := range faults {
		diags.Append(problemOf(&faults[i].Problem).asError())
	}
	return diags
}

// millisecondsOrNull returns a duration in milliseconds. Zero is null.
func millisecondsOrNull(d time.Duration) types.Float64 {
	if d == 0 {
		return types.Float64Null()
	}
	return types.Float64Value(float64(d.Microseconds()) / 1000)
}

func connectivityPathValue(path *connectivity.Path) attr.Value {
	count := func(number int) types.Int32 {
		return types.Int32Value(int32(number)) //nolint:gosec // at most the number of packets
	}
	return types.ObjectValueMust(connectivityPathTypes, map[string]attr.Value{
		"from_leaf": types.StringValue(path.From.Leaf), "from_node": types.StringValue(path.From.Node),
		"to_leaf": types.StringValue(path.To.Leaf), "to_node": types.StringValue(path.To.Node),
		"address": types.StringValue(path.Address), "sent": count(path.Sent), "answered": count(path.Answered),
		"loss_percent":    types.Float64Value(path.LossPercent()),
		"latency_min_ms":  millisecondsOrNull(path.Latency.Min),
		"latency_mean_ms": millisecondsOrNull(path.Latency.Mean),
		"latency_max_ms":  millisecondsOrNull(path.Latency.Max),
		"largest_packet":  int32OrNull(int32(path.Largest)), //nolint:gosec // at most the largest IPv4 packet
	})
}

func connectivityFaultValue(fault connectivity.Fault) attr.Value {
	return types.ObjectValueMust(connectivityFaultTypes, map[string]attr.Value{
		"hop": types.StringValue(string(fault.Hop)), "leaf": stringOrNull(fault.Leaf), "node": stringOrNull(fault.Node),
		"summary":  types.StringValue(trouble.Capital(fault.Summary)),
		"evidence": stringOrNull(strings.Join(fault.Evidence, "\n")),
		"advice":   stringOrNull(fault.Advice),
	})
}

// describeResult says in a sentence what a test that has passed has found.
func describeResult(result connectivity.Result) string {
	answered, sent := 0, 0
	for i := range result.Paths {
		path := &result.Paths[i]
		answered, sent = answered+path.Answered, sent+path.Sent
	}
	return fmt.Sprintf("%d of %d packets are answered on %d paths. Packets of %d bytes pass undivided.",
		answered, sent, len(result.Paths), result.PathMTU())
}
