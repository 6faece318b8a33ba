package end

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestTheOwnersObjectTakesPrecedenceOrElseTheFirstByName(t *testing.T) {
	wireGuard := func(name string, self owner.Owner) client.Object {
		configuration := clustertest.Configuration("rome")
		configuration.Name = name
		if self.Token != "" {
			self.Mark(configuration)
		}
		return configuration
	}
	for name, test := range map[string]struct {
		objects  []client.Object
		expected string
	}{
		"the owner's":       {[]client.Object{wireGuard("a", owner.Owner{}), wireGuard("b", me)}, "b"},
		"the first by name": {[]client.Object{wireGuard("b", owner.Owner{}), wireGuard("a", somebody)}, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			milan := milansEnd(t, test.objects...)
			milan.Owner = me
			if objects := found(t, milan); objects.Configuration.Name != test.expected || len(objects.Extra) != 1 {
				t.Errorf("%v and %d more", objects.Configuration.Name, len(objects.Extra))
			}
		})
	}
}

func TestObjectsOfOthersIncludeAllButTheConnection(t *testing.T) {
	objects := found(t, milansEnd(t, clustertest.ServerEnd("rome", networkingv1beta1.ConnectionStatus{})...))
	if len(objects.All()) != 4 || len(objects.Made()) != 3 || len(others(objects, me)) != 3 ||
		len(owned(objects, me)) != 0 {
		t.Errorf("%d objects, %d made", len(objects.All()), len(objects.Made()))
	}
}

// reported is what a gateway wrote so long ago.
func reported(value networkingv1beta1.ConnectionStatusValue, ago time.Duration) networkingv1beta1.ConnectionStatus {
	return networkingv1beta1.ConnectionStatus{Value: value, Latency: networkingv1beta1.ConnectionLatency{
		Value: "1ms", Timestamp: metav1.NewTime(time.Now().Add(-ago).Truncate(time.Second)),
	}}
}

const up, down, failed = networkingv1beta1.Connected, networkingv1beta1.Connecting, networkingv1beta1.ConnectionError

func TestATunnelIsUpOnlyAsLongAsItsGatewaySaysSo(t *testing.T) {
	with := func(argument string) []client.Object {
		deployment := clustertest.GatewayDeployment("milan")
		deployment.Spec.Template.Spec.Containers = []corev1.Container{{Name: "gateway", Args: []string{argument}}}
		return []client.Object{deployment}
	}
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
	rome := romesEnd(t, clustertest.ClientEnd("milan", reported(up, time.Hour))...)
	clustertest.On(rome.Leaf, "get", func(call clustertest.Call[*networkingv1beta1.Connection]) error {
		err := call.Send() // the node's clock is an hour slow
		call.Object.ManagedFields = []metav1.ManagedFieldsEntry{{Subresource: "status", Time: new(metav1.Now())}}
		return err
	})
	objects, err := rome.Observe(t.Context())
	if err != nil || objects.Tunnel() != up {
		t.Errorf("it is silent since %s (%v)", objects.SilentSince, err)
	}
}

func TestOnlyATunnelThatSeemsSilentCostsRequests(t *testing.T) {
	for name, test := range map[string]struct {
		status   networkingv1beta1.ConnectionStatus
		requests int32 // for the Connection and for the gateway's Deployment
	}{
		"up":     {reported(up, 0), 0},
		"silent": {reported(up, time.Hour), 2},
		"down":   {networkingv1beta1.ConnectionStatus{Value: failed}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			rome := romesEnd(t, clustertest.ClientEnd("milan", test.status)...)
			var requests atomic.Int32
			clustertest.On(rome.Leaf, "get", func(call clustertest.Call[any]) error {
				requests.Add(1)
				return call.Send()
			})
			if found(t, rome); requests.Load() > 0 {
				t.Errorf("Find makes %d requests", requests.Load())
			}
			if _, err := rome.Observe(t.Context()); err != nil || requests.Load() != test.requests {
				t.Errorf("%d requests, expected %d (%v)", requests.Load(), test.requests, err)
			}
		})
	}
}

func TestAFailedRequestAboutASilentTunnelIsRepeated(t *testing.T) {
	rome := romesEnd(t, clustertest.ClientEnd("milan", reported(up, time.Hour))...)
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
	long := reported(up, time.Hour)
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

// withTunnels are the objects of Rome's end, whose gateway has a Connection with each of these reports.
func withTunnels(reports ...networkingv1beta1.ConnectionStatus) []client.Object {
	objects := clustertest.ClientEnd("milan", reports[0])
	for i, report := range reports[1:] {
		further := objects[3].DeepCopyObject().(*networkingv1beta1.Connection) //nolint:errcheck,forcetypeassert // it is one
		further.Name += "-" + string(rune('a'+i))
		further.Status = report
		objects = append(objects, further)
	}
	return objects
}

func TestTheStatusOfAGatewayIsThatOfItsWorstTunnel(t *testing.T) {
	now, long := reported(up, 0), reported(up, time.Hour)
	for name, test := range map[string]struct {
		reports  []networkingv1beta1.ConnectionStatus
		expected networkingv1beta1.ConnectionStatusValue
	}{
		"all up":              {[]networkingv1beta1.ConnectionStatus{now, now, now}, up},
		"one down":            {[]networkingv1beta1.ConnectionStatus{now, {Value: down}, now}, down},
		"one without a value": {[]networkingv1beta1.ConnectionStatus{now, {}}, ""},
		"one failed":          {[]networkingv1beta1.ConnectionStatus{{Value: down}, now, {Value: failed}}, failed},
		"one silent":          {[]networkingv1beta1.ConnectionStatus{now, long, now}, down},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // the objects have names in either order
				rome := romesEnd(t, withTunnels(test.reports...)...)
				objects, err := rome.Observe(t.Context())
				if err != nil || objects.Tunnel() != test.expected || len(objects.Tunnels()) != len(test.reports) ||
					len(objects.Extra) != len(objects.Tunnels())-1 {
					t.Errorf("it is %q with %d tunnels (%v)", objects.Tunnel(), len(objects.Tunnels()), err)
				}
				slices.Reverse(test.reports)
			}
		})
	}
}

func TestTheConnectionOfAFormerGatewayIsNoTunnel(t *testing.T) {
	former := clustertest.Connection("milan", networkingv1beta1.ConnectionError)
	former.Namespace, former.OwnerReferences = "former", []metav1.OwnerReference{{UID: "former"}}
	objects := found(t, romesEnd(t, append(withTunnels(reported(up, 0)), former)...))
	if objects.Tunnel() != up || len(objects.Tunnels()) != 1 {
		t.Errorf("it is %q with %d tunnels", objects.Tunnel(), len(objects.Tunnels()))
	}
	objects = found(t, romesEnd(t, append(withTunnels(reported(up, 0))[:3], former)...))
	if objects.Connection == nil || objects.Tunnel() != "" {
		t.Errorf("without its own, it is %q", objects.Tunnel())
	}
}

func TestAGatewayThatRestartsHasNoConnectionUntilItsNewPodsMakeOne(t *testing.T) {
	rome := romesEnd(t, withTunnels(reported(up, 0), reported(up, 0))...)
	must(t, rome.beginRestart(t.Context(), found(t, rome), true))
	if left := found(t, rome).Connection; left != nil {
		t.Errorf("there is %v", left)
	}
}

func TestAGatewayWithSeveralTunnelsCannotBeLimited(t *testing.T) {
	now := reported(up, 0)
	must(t, romesEnd(t, withTunnels(now)...).CheckLimits(t.Context(), liqo.Limits{}))
	says(t, romesEnd(t, withTunnels(now, now)...).CheckLimits(t.Context(), liqo.Limits{}),
		`the gateway has several tunnels on leaf "rome"`)
	for _, ports := range [][]any{nil, {int64(51840)}, {int64(51840), int64(51841)}} {
		rome := romesEnd(t, withTunnels(now)...)
		showPorts(clustertest.NextLiqo(rome.Leaf), ports)
		if err := rome.CheckLimits(t.Context(), liqo.Limits{}); (err != nil) != (len(ports) > 1) {
			t.Errorf("with the ports %v: %v", ports, err)
		}
	}
}

// showPorts lets the gateway of a leaf have a list of ports. The types of the leaf's fake client do not have it.
func showPorts(leaf *cluster.Leaf, ports []any) {
	clustertest.On(leaf, "get", func(call clustertest.Call[*unstructured.Unstructured]) error {
		if err := call.Send(); err != nil {
			return err
		}
		return unstructured.SetNestedSlice(call.Object.Object, ports, "spec", "endpoint", "ports")
	})
}
