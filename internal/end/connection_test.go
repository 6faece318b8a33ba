package end

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestAWaitForAnExistingObjectEndsAtOnce(t *testing.T) {
	client, server := romesEnd(t, clustertest.ClientEnd("milan",
		networkingv1beta1.ConnectionStatus{Value: networkingv1beta1.Connected})...),
		milansEnd(t, clustertest.ServerEnd("rome",
			networkingv1beta1.ConnectionStatus{Value: networkingv1beta1.Connected})...)
	endpoint, err := server.WaitForEndpoint(t.Context(), EnsuredGateway{})
	if err != nil || !reflect.DeepEqual(endpoint,
		Endpoint{Addresses: []string{"172.18.0.2"}, Port: 31000, Protocol: "UDP"}) {
		t.Errorf("the endpoint is %+v (%v)", endpoint, err)
	}
	for _, on := range []*End{client, server} {
		if err := on.WaitForConnection(t.Context()); err != nil {
			t.Errorf("%s: %v", on.Leaf.Name, err)
		}
	}
}

func TestAWaitEndsWhenSomeoneElseDeletesTheGateway(t *testing.T) {
	gateway := clustertest.GatewayServer("rome", 51840)
	gateway.Status = networkingv1beta1.GatewayServerStatus{}
	for name, wait := range map[string]func(*End) error{
		"tunnel": func(milan *End) error { return milan.WaitForConnection(t.Context()) },
		"peer":   func(milan *End) error { return milan.WaitForPeer(t.Context()) },
		"address": func(milan *End) error {
			_, err := milan.WaitForEndpoint(t.Context(), EnsuredGateway{})
			return err
		},
		"keys": func(milan *End) error {
			_, err := milan.WaitForKey(t.Context(), EnsuredGateway{})
			return err
		},
	} {
		milan := milansEnd(t, gateway.DeepCopy())
		ended, read := make(chan error), make(chan struct{}, 10)
		milan.Leaf.Cached = interceptor.NewClient(milan.Leaf.Live, interceptor.Funcs{
			List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
				err := c.List(ctx, list, options...)
				if _, ok := list.(*networkingv1beta1.GatewayServerList); ok {
					read <- struct{}{}
				}
				return err
			},
		})
		go func() { ended <- wait(milan) }()
		<-read
		must(t, milan.Leaf.Live.Delete(t.Context(), gateway.DeepCopy()))
		err := <-ended
		if err == nil || !strings.Contains(err.Error(), "someone else has deleted the gateway") ||
			!strings.Contains(err.Error(), "GatewayServer liqo-tenant-rome/rome") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestALatencyIsReadAsLiqoWritesIt(t *testing.T) {
	at := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	for text, expected := range map[string]float64{"5ms": 5, "850μs": 0.85, "1500ms": 1500, "N/A": 0, "": 0, "0ms": 0,
		"fast": 0, "-3ms": 0} {
		o := Objects{cluster.Objects{
			GatewayClient: &networkingv1beta1.GatewayClient{ObjectMeta: metav1.ObjectMeta{UID: "gateway"}},
			Connection: &networkingv1beta1.Connection{
				ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{UID: "gateway"}}},
				Status: networkingv1beta1.ConnectionStatus{
					Value: networkingv1beta1.Connected, Latency: networkingv1beta1.ConnectionLatency{Value: text,
						Timestamp: metav1.NewTime(at)},
				},
			},
		}}
		latency := o.Latency()
		if (latency == nil) != (expected == 0) {
			t.Fatalf("%q: %+v", text, latency)
		}
		if latency != nil && (latency.Milliseconds() != expected || !latency.MeasuredAt.Equal(at)) {
			t.Errorf("%q: %v ms at %s", text, latency.Milliseconds(), latency.MeasuredAt)
		}
		o.GatewayClient.UID = "a new gateway"
		if latency := o.Latency(); latency != nil {
			t.Errorf("%q counts for a gateway that has not measured it", text)
		}
	}
}
