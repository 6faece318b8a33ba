package end

import (
	"context"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// While a tunnel is up, its gateway renews a time in the Connection. If the gateway is gone, for example
// with its node, the Connection stays as it is and still calls the tunnel up. This file detects that.

// slack is how late a report may be before it counts as overdue. The clocks of the gateway's node and of
// the API server may differ, and Kubernetes writes times in whole seconds. An API server that was briefly
// unavailable gets the report with one of the next pings.
const slack = 30 * time.Second

// patienceWith returns the maximum age of the last report of a tunnel that is up. The gateway reports with
// the first answer after the interval. It reports the tunnel as failed only after it has missed the
// maximum number of answers.
func patienceWith(pings cluster.Pings) time.Duration {
	return pings.Report + time.Duration(pings.LossThreshold)*pings.Interval + slack
}

// silentSince returns when a gateway last reported its tunnel as up, if its next report is overdue.
// Otherwise it returns zero. It also returns zero if the gateway sends no pings, because such a gateway
// never repeats a report. If the report in the cache looks too old by the usual interval, silentSince
// reads the report and the gateway's own interval from the leaf.
func silentSince(ctx context.Context, leaf *cluster.Leaf, found Objects) (time.Time, error) {
	gateway := found.Gateway()
	if gateway == nil || found.ConnectionStatus(gateway) != networkingv1beta1.Connected {
		return time.Time{}, nil
	}
	reported := lastReport(found.Connection)
	if reported.IsZero() || leaf.Now().Sub(reported) <= patienceWith(cluster.UsualPings()) {
		return time.Time{}, nil
	}
	var connection networkingv1beta1.Connection
	if err := leaf.Live.Get(ctx, client.ObjectKeyFromObject(found.Connection), &connection); err != nil {
		return time.Time{}, leaf.Explain(client.IgnoreNotFound(err)) // the cache will know in a moment that it is gone
	}
	pings, err := leaf.GatewayPings(ctx, gateway)
	reported = lastReport(&connection)
	if err != nil || !pings.Enabled || leaf.Now().Sub(reported) <= patienceWith(pings) {
		return time.Time{}, err
	}
	return reported, nil
}

// lastReport returns when the gateway last reported its tunnel. It takes the later one of two times: the
// time by the clock of the gateway's node, and the API server's time of the last write of the status.
// A cache does not keep the latter. The result is zero if there are no pings.
func lastReport(connection *networkingv1beta1.Connection) time.Time {
	last := connection.Status.Latency.Timestamp.Time
	if last.IsZero() {
		return last
	}
	for _, written := range connection.ManagedFields {
		if written.Subresource == "status" && written.Time != nil && written.Time.After(last) {
			last = written.Time.Time
		}
	}
	return last.UTC()
}
