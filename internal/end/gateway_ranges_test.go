package end

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
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
		t.Run(name, func(t *testing.T) {
			gateway := ours(clustertest.GatewayServer("rome", 51840))
			gateway.CreationTimestamp = metav1.NewTime(now)
			configuration := ours(clustertest.Configuration("rome"))
			configuration.CreationTimestamp, configuration.UID = metav1.NewTime(test.configured), "new"
			milan := milansEnd(t, gateway, configuration)
			if test.older {
				clustertest.OlderLiqo(milan.Leaf)
			}
			must(t, milan.RenewRanges(t.Context()))
			objects, err := milan.Find(t.Context())
			if err != nil || (objects.Gateway.GetAnnotations()[rangesAnnotation] == "new") != test.changed {
				t.Errorf("got %v (%v)", objects.Gateway.GetAnnotations(), err)
			}
		})
	}
}

func TestRangesOfALeafWithoutAGatewayNeedNoRenewal(t *testing.T) {
	if err := milansEnd(t, ours(clustertest.Configuration("rome"))).RenewRanges(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestRangesAreRenewedAlthoughAnAnswerIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the next request comes after a while
		gateway, configuration := ours(clustertest.GatewayServer("rome", 51840)), ours(clustertest.Configuration("rome"))
		configuration.CreationTimestamp, configuration.UID = metav1.NewTime(time.Now()), "new"
		gateway.CreationTimestamp = metav1.NewTime(time.Now().Add(-time.Second))
		milan := milansEnd(t, gateway, configuration)
		served, cut := milan.Leaf.Clients().Documents, false
		milan.Leaf.Clients().Documents = clustertest.AnsweredBy(func(*http.Request) (*http.Response, error) {
			cut, milan.Leaf.Clients().Documents = true, served
			return nil, errors.New("unexpected error when reading response body. Please retry")
		})
		if err := milan.RenewRanges(t.Context()); err != nil || !cut {
			t.Errorf("an answer was cut off: %t, and it failed: %v", cut, err)
		}
	})
}
