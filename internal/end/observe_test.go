package end

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// reported is what a gateway wrote so long ago.
func reported(value networkingv1beta1.ConnectionStatusValue, ago time.Duration) networkingv1beta1.ConnectionStatus {
	return networkingv1beta1.ConnectionStatus{Value: value, Latency: networkingv1beta1.ConnectionLatency{
		Value: "1ms", Timestamp: metav1.NewTime(time.Now().Add(-ago).Truncate(time.Second)),
	}}
}

// gatewayWith is the Deployment of Rome's gateway for Milan, with these arguments.
func gatewayWith(arguments ...string) client.Object {
	deployment := clustertest.GatewayDeployment("milan")
	deployment.Spec.Template.Spec.Containers = []corev1.Container{{Name: "gateway", Args: arguments}}
	return deployment
}

func TestATunnelIsUpOnlyAsLongAsItsGatewaySaysSo(t *testing.T) {
	const up, failed = networkingv1beta1.Connected, networkingv1beta1.ConnectionError
	const down = networkingv1beta1.Connecting
	with := func(arguments ...string) []client.Object { return []client.Object{gatewayWith(arguments...)} }
	for name, test := range map[string]struct {
		status   networkingv1beta1.ConnectionStatus
		more     []client.Object
		expected networkingv1beta1.ConnectionStatusValue
	}{
		"reported a moment ago":          {reported(up, 0), nil, up},
		"reported before the last pings": {reported(up, 40*time.Second), nil, up},
		"reported long ago":              {reported(up, time.Minute), nil, down},
		"reported in the future":         {reported(up, -time.Hour), nil, up},
		"with its usual arguments":       {reported(up, time.Minute), with("--ping-update-status-interval=10s"), down},
		"which reports rarely":           {reported(up, time.Minute), with("--ping-update-status-interval=5m"), up},
		"which waits for many answers":   {reported(up, time.Minute), with("--ping-loss-threshold=60"), up},
		"which reports rarely, and not":  {reported(up, time.Hour), with("--ping-update-status-interval=5m"), down},
		"which sends no pings":           {reported(up, time.Hour), with("--ping-enabled=false"), up},
		"which never sent any":           {networkingv1beta1.ConnectionStatus{Value: up}, nil, up},
		"which reported a failure":       {reported(failed, time.Hour), nil, failed},
	} {
		t.Run(name, func(t *testing.T) {
			rome := romesEnd(t, append(clustertest.ClientEnd("milan", test.status), test.more...)...)
			objects, err := rome.Observe(t.Context())
			must(t, err)
			if status := objects.Tunnel(); status != test.expected {
				t.Errorf("it is %s, expected %s", status, test.expected)
			}
			var silent time.Time
			if test.status.Value != test.expected {
				silent = test.status.Latency.Timestamp.Time
			}
			if !objects.SilentSince.Equal(silent) {
				t.Errorf("it is silent since %s", objects.SilentSince)
			}
			// Nothing is up that is not reported, so a wait for it goes on until its time runs out.
			over, cancel := context.WithCancel(t.Context())
			cancel()
			if err := rome.WaitForConnection(over); (err == nil) != (test.expected == up) {
				t.Errorf("the wait ends with %v", err)
			}
		})
	}
}

func TestAReportCountsByTheLaterOfTheNodesAndTheAPIServersClock(t *testing.T) {
	rome := romesEnd(t, clustertest.ClientEnd("milan", reported(networkingv1beta1.Connected, time.Hour))...)
	clustertest.On(rome.Leaf, "get", func(call clustertest.Call[*networkingv1beta1.Connection]) error {
		err := call.Send() // the node's clock is an hour slow
		call.Object.ManagedFields = []metav1.ManagedFieldsEntry{{Subresource: "status", Time: new(metav1.Now())}}
		return err
	})
	objects, err := rome.Observe(t.Context())
	if err != nil || objects.Tunnel() != networkingv1beta1.Connected {
		t.Errorf("it is silent since %s (%v)", objects.SilentSince, err)
	}
}

// counted counts the requests for one object on a leaf, and returns the count so far.
func counted(leaf *cluster.Leaf) func() int {
	var count atomic.Int32
	clustertest.On(leaf, "get", func(call clustertest.Call[any]) error {
		count.Add(1)
		return call.Send()
	})
	return func() int { return int(count.Load()) }
}

func TestOnlyATunnelThatSeemsSilentCostsRequests(t *testing.T) {
	for name, test := range map[string]struct {
		status   networkingv1beta1.ConnectionStatus
		requests int // for the Connection and for the gateway's Deployment
	}{
		"up":     {reported(networkingv1beta1.Connected, 0), 0},
		"silent": {reported(networkingv1beta1.Connected, time.Hour), 2},
		"down":   {networkingv1beta1.ConnectionStatus{Value: networkingv1beta1.ConnectionError}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			rome := romesEnd(t, clustertest.ClientEnd("milan", test.status)...)
			requests := counted(rome.Leaf)
			for range 3 {
				if _, err := rome.Find(t.Context()); err != nil || requests() > 0 {
					t.Errorf("Find makes %d requests (%v)", requests(), err)
				}
			}
			if _, err := rome.Observe(t.Context()); err != nil || requests() != test.requests {
				t.Errorf("%d requests, expected %d (%v)", requests(), test.requests, err)
			}
		})
	}
}

func TestAFailedRequestAboutASilentTunnelIsRepeated(t *testing.T) {
	rome := romesEnd(t, clustertest.ClientEnd("milan", reported(networkingv1beta1.Connected, time.Hour))...)
	fails := true
	clustertest.On(rome.Leaf, "get", func(call clustertest.Call[any]) error {
		if fails {
			return errors.New("no answer")
		}
		return call.Send()
	})
	if _, err := rome.Observe(t.Context()); err == nil {
		t.Error("the failure is lost")
	}
	fails = false
	if objects, err := rome.Observe(t.Context()); err != nil || objects.SilentSince.IsZero() {
		t.Errorf("it is silent since %s (%v)", objects.SilentSince, err)
	}
}

func TestAllSilentTunnelsOfALeafAreAskedAboutAtTheSameTime(t *testing.T) {
	long := reported(networkingv1beta1.Connected, time.Hour)
	leaf := clustertest.Leaf(t, "rome", append(
		clustertest.ClientEnd("milan", long), clustertest.ServerEnd("turin", long)...,
	)...)
	var both sync.WaitGroup // each request waits for the other's, so that one after the other would never end
	both.Add(2)
	clustertest.On(leaf, "get", func(call clustertest.Call[*networkingv1beta1.Connection]) error {
		both.Done()
		both.Wait()
		return call.Send()
	})
	networks, err := ObserveNetworks(t.Context(), leaf, owner.Owner{})
	if err != nil || networks["milan"].SilentSince.IsZero() || networks["turin"].SilentSince.IsZero() {
		t.Errorf("got %+v (%v)", networks, err)
	}
}
