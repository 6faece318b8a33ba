package provider

import (
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/connectivity"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

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
