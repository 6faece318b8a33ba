package end

import (
	"context"
	"strings"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A Connection is made by the gateway itself: there is nothing to forge, and it goes when the gateway goes.

// WaitForConnection returns once this leaf's gateway says that the tunnel is up, and has said so lately.
func (e *End) WaitForConnection(ctx context.Context) error {
	return e.until(ctx, "the tunnel to come up", func(found Objects) bool {
		gateway := found.Gateway()
		return gateway != nil && found.ConnectionStatus(gateway) == networkingv1beta1.Connected
	}, &networkingv1beta1.Connection{})
}

// ConnectionStatus is what this end says of the tunnel through a gateway. A Connection that an earlier gateway has left
// says nothing of this one, and one that nobody renews does not say any more that the tunnel is up.
func (o Objects) ConnectionStatus(gateway client.Object) networkingv1beta1.ConnectionStatusValue {
	if o.Connection == nil || !ownedBy(o.Connection, gateway) {
		return ""
	}
	if !o.SilentSince.IsZero() {
		return networkingv1beta1.Connecting
	}
	return o.Connection.Status.Value
}

// Latency is how long a packet takes from one gateway to the other and back, as one of them has measured it.
type Latency struct {
	Value      time.Duration
	MeasuredAt time.Time
}

// Milliseconds is the latency in a unit for people; Liqo measures whole microseconds below one millisecond and whole
// milliseconds above.
func (l *Latency) Milliseconds() float64 { return float64(l.Value.Microseconds()) / 1000 }

// Latency is what this end's gateway has measured last; nil where it has not, as while it reports the tunnel as down.
func (o Objects) Latency() *Latency {
	gateway := o.Gateway()
	if gateway == nil || o.ConnectionStatus(gateway) == "" {
		return nil
	}
	measured := o.Connection.Status.Latency
	value, err := time.ParseDuration(measured.Value) // Liqo writes "N/A" where there is nothing to tell
	if err != nil || value <= 0 {
		return nil
	}
	return &Latency{Value: value, MeasuredAt: measured.Timestamp.UTC()}
}

// wasConnected reports whether the gateway of this leaf has once reported the tunnel as up.
func (o Objects) wasConnected() bool {
	return o.Configuration != nil && strings.HasSuffix(o.Configuration.Annotations[completeAnnotation], " "+wasConnected)
}

// ConnectionLost reports whether somebody has deleted the Connection of a gateway that has all it needs: the gateway
// makes another one only when it is told the other's key anew. A tunnel that was never seen up may not have had one
// yet.
func (o Objects) ConnectionLost() bool {
	return o.Connection == nil && o.PublicKey != nil && o.wasConnected()
}
