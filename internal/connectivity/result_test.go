package connectivity

import (
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// measured is the status of a tunnel with a latency.
func measured(latency string) networkingv1beta1.ConnectionStatus {
	return networkingv1beta1.ConnectionStatus{
		Value:   networkingv1beta1.Connected,
		Latency: networkingv1beta1.ConnectionLatency{Value: latency, Timestamp: metav1.Now()},
	}
}

func TestTheWayThroughAnotherClusterTakesAsLongAsBothItsTunnels(t *testing.T) {
	rome := clustertest.Leaf(t, "rome", append(clustertest.ClientEnd("europe", measured("30ms")),
		clustertest.ClientEnd("milan", measured("5ms"))...)...)
	milan := clustertest.Leaf(t, "milan", append(clustertest.ClientEnd("europe", measured("12ms")),
		clustertest.ServerEnd("rome", measured("5ms"))...)...)
	alone := clustertest.Leaf(t, "naples", clustertest.ServerEnd("turin", measured("1ms"))...)
	down := clustertest.Leaf(t, "bari", clustertest.ClientEnd("europe", networkingv1beta1.ConnectionStatus{
		Value: networkingv1beta1.ConnectionError, Latency: networkingv1beta1.ConnectionLatency{Value: "N/A"},
	})...)
	for name, test := range map[string]struct {
		other *cluster.Leaf
		want  *Central
	}{
		"both have a network with it": {milan, &Central{ID: "europe", Latency: 42 * time.Millisecond}},
		"only one has":                {alone, nil},
		"one of them is down":         {down, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := centralLatency(t.Context(), newStation(rome, test.other, "run"), newStation(test.other, rome, "run"))
			if (got == nil) != (test.want == nil) || got != nil && *got != *test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
