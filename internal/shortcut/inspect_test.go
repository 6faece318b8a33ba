package shortcut

import (
	"fmt"
	"slices"
	"testing"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// measured is the status of a tunnel that is up, with a latency of a moment ago.
func measured(value string) networkingv1beta1.ConnectionStatus {
	status := up
	status.Latency = networkingv1beta1.ConnectionLatency{Value: value, Timestamp: metav1.Now()}
	return status
}

func TestAnInspectionHasTheStatusOfEachEnd(t *testing.T) {
	active := clustertest.GatewayPod("milan", "gw-milan-a", "node-1")
	active.Labels["networking.liqo.io/active"] = "true"
	rome := clustertest.Leaf(t, "rome", append(clustertest.ClientEnd("milan", measured("850μs")),
		clustertest.GatewayPod("milan", "gw-milan-b", ""), active,
		clustertest.GatewayPod("naples", "gw-naples", "node-1"))...)
	milan := clustertest.Leaf(t, "milan", clustertest.ServerEnd("rome", failed)...)
	pods := []liqo.GatewayPod{
		{Name: "gw-milan-a", Namespace: "liqo-tenant-milan", Node: "node-1", Active: true},
		{Name: "gw-milan-b", Namespace: "liqo-tenant-milan"},
	}
	for _, reversed := range []bool{false, true} {
		t.Run(fmt.Sprintf("reversed: %t", reversed), func(t *testing.T) {
			asked := New(rome, milan)
			if reversed {
				asked = New(milan, rome)
			}
			got, err := asked.Inspect(t.Context())
			must(t, err)
			atRome, atMilan, ofRome := got.ClientEnd, got.ServerEnd, got.Client
			if reversed {
				atRome, atMilan, ofRome = got.ServerEnd, got.ClientEnd, got.Server
			}
			if got.Reversed != reversed || got.Status != Error || got.MadeBy != ByOther || got.ServerEndpoint == nil ||
				got.MTU != 1340 {
				t.Errorf("it is %+v", got)
			}
			if ofRome.ClusterID != "rome" || !slices.Equal(ofRome.Network.PodCIDRs, []string{"10.0.0.0/16"}) {
				t.Errorf("Rome is %+v", ofRome)
			}
			if atRome.Status != Connected || atRome.Latency.Milliseconds() != 0.85 ||
				!slices.Equal(atRome.GatewayPods, pods) {
				t.Errorf("Rome's end is %+v", atRome)
			}
			if atMilan.Status != Error || atMilan.Latency != nil || len(atMilan.GatewayPods) != 0 {
				t.Errorf("Milan's end is %+v", atMilan)
			}
		})
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

func TestTheMakerIsThePeeringUnlessTheProviderHasEverything(t *testing.T) {
	peering := clustertest.Peering("milan", liqov1beta1.ProviderRole)
	atRome, atMilan := clustertest.ClientEnd("milan", up), clustertest.ServerEnd("rome", up)
	oursAtRome := byProvider(clustertest.ClientEnd("milan", up))
	oursAtMilan := byProvider(clustertest.ServerEnd("rome", up))
	for name, test := range map[string]struct {
		atRome, atMilan []client.Object
		expected        Maker
	}{
		"a peering":                 {append(atRome, peering), atMilan, ByPeering},
		"taken over from a peering": {append(oursAtRome, peering), oursAtMilan, ByProvider},
		"ours":                      {oursAtRome, oursAtMilan, ByProvider},
		"ours at one end":           {oursAtRome, atMilan, ByOther},
		"somebody's":                {atRome, atMilan, ByOther},
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
