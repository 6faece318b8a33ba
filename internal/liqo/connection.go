package liqo

import (
	"cmp"
	"context"
	"slices"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// No released version of Liqo gives a gateway more than one tunnel. A newer one may: each tunnel then has a port in a
// list of the gateway, and may have a Connection.

// IsTunnel reports whether an object is a Connection of the leaf's gateway, and not of a former one.
func (o Objects) IsTunnel(object client.Object) bool {
	_, is := object.(*networkingv1beta1.Connection)
	return is && o.Gateway != nil && OwnedBy(object, o.Gateway)
}

// Tunnels returns the Connections of the leaf's gateway.
func (o Objects) Tunnels() []client.Object {
	return slices.DeleteFunc(append(o.All(), o.Extra...), func(object client.Object) bool { return !o.IsTunnel(object) })
}

// HasSeveralTunnels reports whether the leaf's gateway has more than one tunnel. If Liqo on the leaf can have several,
// it reads the gateway live, because the types of this program do not have the list of ports.
func (o Objects) HasSeveralTunnels(ctx context.Context, leaf *cluster.Leaf) (bool, error) {
	if several := len(o.Tunnels()) > 1; several || o.Gateway == nil {
		return several, nil
	}
	if able, err := CapabilitiesOf(ctx, leaf); err != nil || !able.SeveralTunnels {
		return false, err
	}
	whole, err := leaf.GetWhole(ctx, o.Gateway.Object)
	if whole == nil {
		return false, err
	}
	ports, _, _ := unstructured.NestedSlice(whole.Object, "spec", "endpoint", "ports") // what is no list has no ports
	return len(ports) > 1, nil
}

// CompareTunnels puts that one of two Connections first which shows the worse tunnel of the leaf's gateway, or has
// reported longer ago. It does not order other objects.
func (o Objects) CompareTunnels(one, other client.Object) int {
	first, isFirst := one.(*networkingv1beta1.Connection)
	second, isSecond := other.(*networkingv1beta1.Connection)
	if !isFirst || !isSecond {
		return 0
	}
	return cmp.Or(cmp.Compare(o.severity(second), o.severity(first)), lastReport(first).Compare(lastReport(second)))
}

// severity returns a larger number for a worse tunnel of the leaf's gateway, and zero for one of another gateway.
func (o Objects) severity(connection *networkingv1beta1.Connection) int {
	const up, notUp, failed = 1, 2, 3
	switch {
	case !o.IsTunnel(connection):
		return 0
	case connection.Status.Value == networkingv1beta1.Connected:
		return up
	case connection.Status.Value == networkingv1beta1.ConnectionError:
		return failed
	default:
		return notUp
	}
}

// Latency is the round-trip time between the two gateways, as one of them has measured it.
type Latency struct {
	Value      time.Duration
	MeasuredAt time.Time
}

// Milliseconds is the latency in a unit for people. Liqo measures whole microseconds below one millisecond and whole
// milliseconds above.
func (l *Latency) Milliseconds() float64 { return float64(l.Value.Microseconds()) / 1000 }

// Latency returns the last latency that this end's gateway has measured. It is nil if there is none, for example while
// the gateway reports the tunnel as down.
func (o Objects) Latency() *Latency {
	if o.Tunnel() == "" {
		return nil
	}
	measured := o.Connection.Status.Latency
	value, err := time.ParseDuration(measured.Value) // Liqo writes "N/A" where there is nothing to tell
	if err != nil || value <= 0 {
		return nil
	}
	return &Latency{Value: value, MeasuredAt: measured.Timestamp.UTC()}
}
