package end

import (
	"context"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
)

// The gateway itself creates its Connection. So there is nothing to forge, and the Connection goes with
// the gateway.

// WaitForConnection returns when this leaf's gateway reports the tunnel as up and the report is recent.
func (e *End) WaitForConnection(ctx context.Context) error {
	return e.waitForGateway(ctx, "the tunnel to come up", e.Observe, func(found Objects) bool {
		gateway := found.Gateway()
		return gateway != nil && found.ConnectionStatus(gateway) == networkingv1beta1.Connected
	}, &networkingv1beta1.Connection{})
}

// WaitForPeer returns when this leaf's gateway has configured the other one as its peer, and has created its
// Connection. The other one may not have answered yet.
func (e *End) WaitForPeer(ctx context.Context) error {
	return e.waitForGateway(ctx, "the gateway to start", e.Find, func(found Objects) bool {
		gateway := found.Gateway()
		return gateway != nil && found.ConnectionStatus(gateway) != ""
	}, &networkingv1beta1.Connection{})
}

// Latency is the round-trip time between the two gateways, as one of them has measured it.
type Latency struct {
	Value      time.Duration
	MeasuredAt time.Time
}

// Milliseconds is the latency in a unit for people. Liqo measures whole microseconds below one millisecond and whole
// milliseconds above.
func (l *Latency) Milliseconds() float64 { return float64(l.Value.Microseconds()) / 1000 }

// Latency returns the last latency that this end's gateway has measured. It is nil if there is none, for
// example while the gateway reports the tunnel as down.
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

// ConnectionLost reports whether someone has deleted the Connection of a gateway that has all it needs.
// The gateway creates another one only when it gets the other gateway's key again. A tunnel that was
// never up may not have had a Connection yet.
func (o Objects) ConnectionLost() bool {
	return o.Connection == nil && o.PublicKey != nil && o.wasConnected()
}
