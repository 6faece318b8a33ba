package direct

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestNothingThatIsMissingOnALeafStopsTheProvider(t *testing.T) {
	inRome := []client.Object{
		clustertest.Remapped("europe", "10.0.0.0/16", "10.71.0.0/16"), joined("milan"),
		slice("own", map[string]string{"web-rome": "10.0.1.5"}), reflected("web-milan", toMilan), denying(),
	}
	inEurope := inEurope(web(asked), podsOfWeb())
	look := func(inEurope, inRome []client.Object) {
		leaf := clustertest.Leaf(t, "rome", inRome...)
		s := of(clustertest.Leaf(t, "europe", inEurope...), leaf, milan(t, joined("rome")))
		_, _ = s.Observe(t.Context()) // an error is one answer
		_, _ = Uses(t.Context(), leaf)
	}
	for lacking := range clustertest.Lacking(t, inRome) {
		look(inEurope, lacking)
	}
	for lacking := range clustertest.Lacking(t, inEurope) {
		look(lacking, inRome)
	}
}
