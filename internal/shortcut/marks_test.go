package shortcut

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestItIsRecordedWhetherTheTunnelWasSeenUp(t *testing.T) {
	owner := Owner{Token: "ours"}
	configuration := theirs("rome")
	owner.mark(configuration)
	server := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", configuration)).OwnedBy(owner).server
	for _, test := range []struct{ sees, recorded bool }{{false, false}, {true, true}, {false, true}} {
		if err := server.complete(t.Context(), test.sees); err != nil {
			t.Fatal(err)
		}
		found, err := server.find(t.Context())
		if err != nil || found.wasConnected() != test.recorded || completeBy(found.configuration) != "ours" {
			t.Errorf("seen: %t; it says %q (%v)", test.sees, found.configuration.Annotations[completeAnnotation], err)
		}
	}
}
