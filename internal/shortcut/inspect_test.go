package shortcut

import (
	"slices"
	"testing"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// measured is the status of a tunnel that is up, with a latency of a moment ago.
func measured(value string) networkingv1beta1.ConnectionStatus {
	return networkingv1beta1.ConnectionStatus{Value: networkingv1beta1.Connected,
		Latency: networkingv1beta1.ConnectionLatency{
			Value: value, Timestamp: metav1.Now(),
		}}
}

func gatewayPodOf(remote, name, node string, active bool) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "liqo-tenant-" + remote,
			Labels: map[string]string{"networking.liqo.io/gateway-name": remote}},
		Spec: corev1.PodSpec{NodeName: node},
	}
	if active {
		pod.Labels["networking.liqo.io/active"] = "true"
	}
	return pod
}

func TestAnInspectionHasTheStatusOfEachEnd(t *testing.T) {
	rome := clustertest.Leaf(t, "rome", append(clustertest.ClientEnd("milan", measured("850μs")),
		gatewayPodOf("milan", "gw-milan-b", "", false), gatewayPodOf("milan", "gw-milan-a", "node-1", true),
		gatewayPodOf("naples", "gw-naples", "node-1", true))...)
	milan := clustertest.Leaf(t, "milan", clustertest.ServerEnd("rome", failed)...)
	for _, reversed := range []bool{false, true} {
		asked := New(rome, milan)
		if reversed {
			asked = New(milan, rome)
		}
		inspection, err := asked.Inspect(t.Context())
		must(t, err)
		atRome, atMilan, ofRome := inspection.ClientEnd, inspection.ServerEnd, inspection.Client
		if reversed {
			atRome, atMilan, ofRome = inspection.ServerEnd, inspection.ClientEnd, inspection.Server
		}
		if inspection.Reversed != reversed || inspection.Status != Error || inspection.MadeBy != ByOther ||
			inspection.ServerEndpoint == nil {
			t.Errorf("reversed: %t: %+v", reversed, inspection)
		}
		if ofRome.ClusterID != "rome" || inspection.MTU != 1340 ||
			!slices.Equal(ofRome.Network.PodCIDRs, []string{"10.0.0.0/16"}) {
			t.Errorf("reversed: %t: Rome is %+v", reversed, ofRome)
		}
		pods := []liqo.GatewayPod{
			{Name: "gw-milan-a", Namespace: "liqo-tenant-milan", Node: "node-1", Active: true},
			{Name: "gw-milan-b", Namespace: "liqo-tenant-milan"},
		}
		if atRome.Status != Connected || atRome.Latency.Milliseconds() != 0.85 ||
			!slices.Equal(atRome.GatewayPods, pods) {
			t.Errorf("reversed: %t: Rome's end is %+v", reversed, atRome)
		}
		if atMilan.Status != Error || atMilan.Latency != nil || len(atMilan.GatewayPods) != 0 {
			t.Errorf("reversed: %t: Milan's end is %+v", reversed, atMilan)
		}
	}
}

func TestAnEndThatHasFallenSilentIsNotUpAndStillSaysWhatItLastMeasured(t *testing.T) {
	last := measured("850μs")
	last.Latency.Timestamp = metav1.NewTime(time.Now().Add(-time.Hour).Truncate(time.Second))
	inspection, err := New(
		clustertest.Leaf(t, "rome", clustertest.ClientEnd("milan", last)...),
		clustertest.Leaf(t, "milan", clustertest.ServerEnd("rome", measured("1ms"))...),
	).Inspect(t.Context())
	must(t, err)
	if inspection.Status != Connecting || !inspection.Silent || inspection.ClientEnd.Status != Connecting ||
		inspection.ServerEnd.Status != Connected {
		t.Errorf("got %+v", inspection)
	}
	if at := inspection.ClientEnd.Latency; at == nil || !at.MeasuredAt.Equal(last.Latency.Timestamp.Time) {
		t.Errorf("it was measured %+v", at)
	}
}

func TestAnInspectionOfTwoLeavesWithoutANetworkFindsNone(t *testing.T) {
	inspection, err := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan")).Inspect(t.Context())
	if err != nil || inspection.Exists || inspection.Status != Disconnected || inspection.Reversed ||
		inspection.MadeBy != "" || inspection.ClientEnd.Status != Disconnected ||
		inspection.ServerEnd.Status != Disconnected {
		t.Errorf("got %+v (%v)", inspection, err)
	}
}

func TestAnInspectionOfATunnelThatIsNotUpYetIsConnecting(t *testing.T) {
	coming := networkingv1beta1.ConnectionStatus{Value: networkingv1beta1.Connecting}
	inspection, err := New(clustertest.Leaf(t, "rome", clustertest.ClientEnd("milan", coming)...),
		clustertest.Leaf(t, "milan", clustertest.ServerEnd("rome", up)...)).Inspect(t.Context())
	if err != nil || inspection.Status != Connecting || inspection.ClientEnd.Status != Connecting ||
		inspection.ServerEnd.Status != Connected {
		t.Errorf("got %s, %s and %s (%v)", inspection.Status, inspection.ClientEnd.Status, inspection.ServerEnd.Status, err)
	}
}

func TestTheMakerIsThePeeringUnlessTheProviderHasEverything(t *testing.T) {
	peering := clustertest.Peering("milan", liqov1beta1.ProviderRole)
	for name, test := range map[string]struct {
		atRome, atMilan []client.Object
		expected        Maker
	}{
		"a peering": {append(clustertest.ClientEnd("milan", up), peering),
			clustertest.ServerEnd("rome", up), ByPeering},
		"taken over from a peering": {append(byProvider(clustertest.ClientEnd("milan", up)), peering),
			byProvider(clustertest.ServerEnd("rome", up)), ByProvider},
		"ours": {byProvider(clustertest.ClientEnd("milan", up)),
			byProvider(clustertest.ServerEnd("rome", up)), ByProvider},
		"ours at one end": {byProvider(clustertest.ClientEnd("milan", up)), clustertest.ServerEnd("rome", up),
			ByOther},
		"somebody's": {clustertest.ClientEnd("milan", up), clustertest.ServerEnd("rome", up), ByOther},
	} {
		t.Run(name, func(t *testing.T) {
			inspection, err := New(clustertest.Leaf(t, "rome", test.atRome...),
				clustertest.Leaf(t, "milan", test.atMilan...)).Inspect(t.Context())
			if err != nil || inspection.MadeBy != test.expected {
				t.Errorf("%q (%v), expected %q", inspection.MadeBy, err, test.expected)
			}
		})
	}
}
