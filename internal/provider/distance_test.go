package provider

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// inOneRoundTrip fails unless something waits for one round trip to its distant leaves. It runs in a bubble.
func inOneRoundTrip(t *testing.T, do func() diag.Diagnostics) {
	t.Helper()
	began := time.Now()
	sound(t, do())
	if got := time.Since(began) / clustertest.RoundTrip; got != 1 {
		t.Errorf("it waits for %d round trips, and not for one", got)
	}
}

// distant returns a leaf with Liqo's own templates and with address ranges.
func distant(t *testing.T, name string) *cluster.Leaf {
	t.Helper()
	objects := append(clustertest.Templates(), clustertest.Ranges("10.1.0.0/16", "10.70.0.0/16")...)
	return clustertest.Distant(t, clustertest.Leaf(t, name, objects...))
}

func TestAPlanAsksBothLeavesEverythingAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := toBeMade(t)
		p.pair = pair{client: distant(t, "rome"), server: distant(t, "milan")}
		for _, leaf := range []*cluster.Leaf{p.pair.client, p.pair.server} { // connecting has asked for them
			if _, err := liqo.RangesOf(t.Context(), leaf); err != nil {
				t.Fatal(err)
			}
		}
		inOneRoundTrip(t, func() diag.Diagnostics { return checkFeasible(t.Context(), p) })
	})
}

func TestAClustersDataAreAskedForAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leaf := distant(t, "rome")
		inOneRoundTrip(t, func() diag.Diagnostics {
			var model clusterDataModel
			return model.show(t.Context(), leaf)
		})
	})
}
