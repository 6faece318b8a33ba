package liqo_test

import (
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestALatencyIsReadAsLiqoWritesIt(t *testing.T) {
	at := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	for text, expected := range map[string]float64{
		"5ms": 5, "850μs": 0.85, "1500ms": 1500, "N/A": 0, "": 0, "0ms": 0, "fast": 0, "-3ms": 0,
	} {
		t.Run(text, func(t *testing.T) {
			connection := clustertest.Connection("milan", networkingv1beta1.Connected)
			connection.Status.Latency = networkingv1beta1.ConnectionLatency{Value: text, Timestamp: metav1.NewTime(at)}
			gateway := clustertest.GatewayClient("milan")
			gateway.UID = "gateway"
			o := liqo.Objects{Gateway: liqo.GatewayOf(gateway), Connection: connection}
			latency := o.Latency()
			if (latency == nil) != (expected == 0) {
				t.Fatalf("%+v", latency)
			}
			if latency != nil && (latency.Milliseconds() != expected || !latency.MeasuredAt.Equal(at)) {
				t.Errorf("%v ms at %s", latency.Milliseconds(), latency.MeasuredAt)
			}
			o.Gateway.SetUID("a new gateway")
			if o.Latency() != nil || o.Tunnel() != "" {
				t.Errorf("%q counts for a gateway that has not reported it, and the tunnel is %q", text, o.Tunnel())
			}
			if o.Gateway = nil; o.Tunnel() != "" {
				t.Errorf("without a gateway, the tunnel is %q", o.Tunnel())
			}
		})
	}
}
