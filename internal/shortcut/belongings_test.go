package shortcut

import (
	"testing"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
)

// completed marks an object as part of a shortcut of the owner that was complete.
func completed(owner end.Owner, configuration *networkingv1beta1.Configuration) *networkingv1beta1.Configuration {
	owner.Mark(configuration)
	annotate(configuration, "complete", owner.Token+" "+time.Now().UTC().Format(time.RFC3339))
	return configuration
}

// belongings are networks of every kind of owner on Rome. Each is one Configuration and the other
// objects that show whose it is.
func belongings() map[string][]client.Object {
	abandoned, adopting := clustertest.Configuration("milan"), clustertest.Configuration("milan")
	somebody.Mark(abandoned)
	annotate(adopting, "previous", `{"managedBy":"","owner":""}`)
	somebody.Mark(adopting)
	return map[string][]client.Object{
		"mine":                                  {completed(me, clustertest.Configuration("milan"))},
		"another's":                             {completed(somebody, clustertest.Configuration("milan"))},
		"nobody's":                              {ours(clustertest.Configuration("milan"))},
		"abandoned by a create that was killed": {abandoned},
		"abandoned by an adoption that was killed": {adopting},
		"made by liqoctl":                          {clustertest.Configuration("milan")},
		"a peering's": {clustertest.Configuration("milan"),
			clustertest.Peering("milan", liqov1beta1.ProviderRole)},
	}
}

// joinedAtRome is my shortcut. Rome has these objects.
func joinedAtRome(t *testing.T, objects []client.Object) *Shortcut {
	t.Helper()
	return New(leafWith(t, "rome", objects...), leafWith(t, "milan")).OwnedBy(me)
}

// atRome returns the Configuration on Rome, or nil.
func (s *Shortcut) atRome(t *testing.T) *networkingv1beta1.Configuration {
	t.Helper()
	found, err := s.Client.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found.Configuration
}
