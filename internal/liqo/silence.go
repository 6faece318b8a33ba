package liqo

import (
	"context"
	"strconv"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// slack is how late a report may be before it counts as overdue. The clocks of the gateway's node and of the API server
// may differ, and Kubernetes writes times in whole seconds. An API server that was briefly unavailable gets the report
// with one of the next pings.
const slack = 30 * time.Second

// Pings say how a gateway checks that the other one answers, and how often it reports that in its Connection.
type Pings struct {
	Enabled       bool          // without pings, a gateway reports the tunnel as up once, and never again
	Interval      time.Duration // between two pings
	LossThreshold int           // after so many lost pings the gateway reports that the tunnel failed
	Report        time.Duration // the least time between two reports of a tunnel that is up
}

// MaxSilence returns the maximum age of the last report of a tunnel that is up. The gateway reports with the first
// answer after the interval. It reports the tunnel as failed only after it has missed the maximum number of answers.
func (p Pings) MaxSilence() time.Duration {
	return p.Report + time.Duration(p.LossThreshold)*p.Interval + slack
}

// ReadSilence returns when the gateway last reported its tunnel as up, if its next report is overdue. Otherwise it
// returns zero. It also returns zero if the gateway sends no pings, because such a gateway never repeats a report. It
// asks the API server only if the report in the cache is too old by the usual interval. If the Connection is gone,
// which the cache will know in a moment, nothing is overdue.
func (o Objects) ReadSilence(ctx context.Context, leaf *cluster.Leaf) (time.Time, error) {
	overdue := func(reported time.Time, pings Pings) bool {
		return !reported.IsZero() && pings.Enabled && leaf.Now().Sub(reported) > pings.MaxSilence()
	}
	if o.Tunnel() != networkingv1beta1.Connected || !overdue(lastReport(o.Connection), UsualPings()) {
		return time.Time{}, nil
	}
	var current networkingv1beta1.Connection
	if exists, err := leaf.Get(ctx, client.ObjectKeyFromObject(o.Connection), &current); !exists {
		return time.Time{}, err
	}
	pings, err := PingsOf(ctx, leaf, o.Gateway)
	if reported := lastReport(&current); err == nil && overdue(reported, pings) {
		return reported, nil
	}
	return time.Time{}, err
}

// lastReport returns when the gateway last reported its tunnel. It takes the later one of two times: the time by the
// clock of the gateway's node, and the API server's time of the last write of the status. A cache does not keep the
// latter. The result is zero if there are no pings.
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

// UsualPings returns those of a gateway whose arguments do not say otherwise: the defaults of Liqo 1.2.0,
// pkg/gateway/connection/flags.go.
func UsualPings() Pings {
	return Pings{Enabled: true, Interval: 2 * time.Second, LossThreshold: 5, Report: 10 * time.Second}
}

// PingsOf returns the pings of a gateway, as the arguments of its Deployment say. They are the usual ones if there is
// no Deployment, or if the credentials do not allow to read it. It asks the API server.
func PingsOf(ctx context.Context, leaf *cluster.Leaf, gateway client.Object) (Pings, error) {
	pings := UsualPings()
	var deployment appsv1.Deployment
	exists, err := leaf.Get(ctx, MadeForGateway(gateway), &deployment)
	if !exists && err == nil || apierrors.IsForbidden(err) {
		return pings, nil
	}
	flags := flagsOf(&deployment)
	set(&pings.Enabled, flags["--ping-enabled"], strconv.ParseBool)
	set(&pings.Interval, flags["--ping-interval"], time.ParseDuration)
	set(&pings.LossThreshold, flags["--ping-loss-threshold"], strconv.Atoi)
	set(&pings.Report, flags["--ping-update-status-interval"], time.ParseDuration)
	return pings, err
}

// set stores a value that can be read. With another one, a gateway does not start.
func set[T any](field *T, text string, parse func(string) (T, error)) {
	if value, err := parse(text); err == nil {
		*field = value
	}
}
