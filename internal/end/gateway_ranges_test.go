package end

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestAGatewayOfOlderLiqoChangesIfItsConfigurationIsNewer(t *testing.T) {
	now := time.Now()
	for name, test := range map[string]struct {
		configured time.Time
		older      bool // Liqo
		changed    bool
	}{
		"a Configuration of a gateway": {now.Add(-time.Minute), true, false},
		"a newer one":                  {now.Add(time.Minute), true, true},
		"a newer one, Liqo follows":    {now.Add(time.Minute), false, false},
	} {
		gateway := ours(clustertest.GatewayServer("rome", 51840))
		gateway.CreationTimestamp = metav1.NewTime(now)
		configuration := ours(clustertest.Configuration("rome"))
		configuration.CreationTimestamp, configuration.UID = metav1.NewTime(test.configured), "new"
		milan := milansEnd(t, gateway, configuration)
		if test.older {
			clustertest.OlderLiqo(milan.Leaf)
		}
		if err := milan.RenewRanges(t.Context()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		objects, err := milan.Find(t.Context())
		if err != nil || (objects.GatewayServer.Annotations[rangesAnnotation] == "new") != test.changed {
			t.Errorf("%s: got %v (%v)", name, objects.GatewayServer.Annotations, err)
		}
	}
}

func TestRangesOfALeafWithoutAGatewayNeedNoRenewal(t *testing.T) {
	if err := milansEnd(t, ours(clustertest.Configuration("rome"))).RenewRanges(t.Context()); err != nil {
		t.Error(err)
	}
}
