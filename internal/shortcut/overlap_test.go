package shortcut

import (
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestAnOverlapNamesBothRanges(t *testing.T) {
	overlaps, err := New(clustertest.Leaf(t, "rome", ranges("10.0.0.0/8")...),
		clustertest.Leaf(t, "milan", ranges("10.1.0.0/16")...)).
		Overlaps(t.Context(), [2]liqo.Ranges{{PodCIDRs: []string{"10.0.0.0/8"}}, {PodCIDRs: []string{"10.1.0.0/16"}}})
	if err != nil || len(overlaps) != 3 {
		t.Fatalf("got %v (%v)", overlaps, err)
	}
	said := overlaps[0].String() + overlaps[1].String() + overlaps[2].String()
	for _, expected := range []string{
		`10.1.0.0/16 of "milan" overlaps with 10.0.0.0/8, the pod CIDR of "rome"`,
		`10.0.0.0/8 of "rome" overlaps with 10.1.0.0/16, the pod CIDR of "milan"`,
		`10.0.0.0/8 of "rome" overlaps with 10.70.0.0/16, the external CIDR of "milan"`,
	} {
		if !strings.Contains(said, expected) {
			t.Errorf("it does not say %q: %s", expected, said)
		}
	}
}
