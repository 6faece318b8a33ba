package liqo

import (
	"time"
)

// Latency is the round-trip time between the two gateways, as one of them has measured it.
type Latency struct {
	Value      time.Duration
	MeasuredAt time.Time
}

// Milliseconds is the latency in a unit for people. Liqo measures whole microseconds below one millisecond and whole
// milliseconds above.
func (leaf *Latency) Milliseconds() float64 { return float64(leaf.Value.Microseconds()) / 1000 }

// Latency returns the last latency that this end's gateway has measured. It is nil if there is none, for example while
// the gateway reports the tunnel as down.
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
