package shortcut

import (
	"reflect"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAWaitForWhatIsThereAlreadyEndsAtOnce(t *testing.T) {
	client, server := romesEnd(t, end(asClient, "milan", up)...), milansEnd(t, end(asServer, "rome", up)...)
	endpoint, err := server.waitForEndpoint(t.Context())
	if err != nil || !reflect.DeepEqual(endpoint, Endpoint{Addresses: []string{"172.18.0.2"}, Port: 31000, Protocol: "UDP"}) {
		t.Errorf("the endpoint is %+v (%v)", endpoint, err)
	}
	for _, on := range []*side{client, server} {
		if err := on.waitForConnection(t.Context()); err != nil {
			t.Errorf("%s: %v", on.leaf.Name, err)
		}
	}
}

func TestALatencyIsReadAsLiqoWritesIt(t *testing.T) {
	at := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	for text, expected := range map[string]float64{"5ms": 5, "850μs": 0.85, "1500ms": 1500, "N/A": 0, "": 0, "0ms": 0, "fast": 0, "-3ms": 0} {
		o := objects{
			client: &networkingv1beta1.GatewayClient{ObjectMeta: metav1.ObjectMeta{UID: "gateway"}},
			connection: &networkingv1beta1.Connection{
				ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{UID: "gateway"}}},
				Status: networkingv1beta1.ConnectionStatus{
					Value: networkingv1beta1.Connected, Latency: networkingv1beta1.ConnectionLatency{Value: text, Timestamp: metav1.NewTime(at)},
				},
			},
		}
		latency := o.latency()
		if (latency == nil) != (expected == 0) {
			t.Fatalf("%q: %+v", text, latency)
		}
		if latency != nil && (latency.Milliseconds() != expected || !latency.MeasuredAt.Equal(at)) {
			t.Errorf("%q: %v ms at %s", text, latency.Milliseconds(), latency.MeasuredAt)
		}
		o.client.UID = "a new gateway"
		if latency := o.latency(); latency != nil {
			t.Errorf("%q counts for a gateway that has not measured it", text)
		}
	}
}
