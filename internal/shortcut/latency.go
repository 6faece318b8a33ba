package shortcut

import "time"

// Latency is how long a packet takes from one gateway to the other and back, as one of them has measured it.
type Latency struct {
	Value      time.Duration
	MeasuredAt time.Time
}

// Milliseconds is the latency in a unit for people; Liqo measures whole microseconds below one millisecond and whole milliseconds above.
func (l *Latency) Milliseconds() float64 { return float64(l.Value.Microseconds()) / 1000 }

// latency is what this end's gateway has measured last; nil where it has not, as while the tunnel is down.
func (o objects) latency() *Latency {
	gateway := o.gateway()
	if gateway == nil || o.connected(gateway) == "" {
		return nil
	}
	measured := o.connection.Status.Latency
	value, err := time.ParseDuration(measured.Value) // Liqo writes "N/A" where there is nothing to tell
	if err != nil || value <= 0 {
		return nil
	}
	return &Latency{Value: value, MeasuredAt: measured.Timestamp.UTC()}
}
