package shortcut

import (
	"testing"
)

func TestItIsRecordedWhetherTheTunnelWasSeenUp(t *testing.T) {
	owner := Owner{Token: "ours"}
	configuration := theirs("rome")
	owner.mark(configuration)
	server := milansEnd(t, configuration)
	server.owner = owner
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
