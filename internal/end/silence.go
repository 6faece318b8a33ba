package end

import (
	"context"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// As long as a tunnel is up, its gateway renews a time in the Connection. If the gateway is gone, with its node for
// instance, nobody writes, and the Connection goes on to call the tunnel up. What is in this file notices that.

// slack is how much later than it should a report may come and still be believed. The clocks of the gateway's node and
// of the API server may differ, Kubernetes writes times in whole seconds, and an API server that was away for a moment
// gets the report with one of the next pings.
const slack = 30 * time.Second

// patienceWith is how old the last report of a tunnel that is up may be. The gateway reports with the first answer
// after the interval; before it misses as many answers as it may, it does not report the tunnel as failed.
func patienceWith(pings cluster.Pings) time.Duration {
	return pings.Report + time.Duration(pings.LossThreshold)*pings.Interval + slack
}

// silentSince is when a gateway last reported its tunnel as up, if it should have reported again by now. It is zero
// otherwise, and where the gateway sends no pings: that one reports nothing a second time. A report that looks too old
// in the cache, by the usual interval, is read again from the leaf, and so is the gateway's own interval.
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

// lastReport is when the gateway last reported its tunnel: by the clock of its node, or by the API server's, which has
// noted the last write of the status, whichever is later. A cache keeps no such notes. It is zero where there are no
// pings.
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
