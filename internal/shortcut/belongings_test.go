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

// completed is a network of that owner that was once whole.
func completed(owner end.Owner, configuration *networkingv1beta1.Configuration) *networkingv1beta1.Configuration {
	owner.Mark(configuration)
	annotate(configuration, "complete", owner.Token+" "+time.Now().UTC().Format(time.RFC3339))
	return configuration
}

// belongings are networks of every kind of owner, as Rome holds them; each is one Configuration, and what else shows
// whose it is.
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
		"a peering's":                              {clustertest.Configuration("milan"), clustertest.Peering("milan", liqov1beta1.ProviderRole)},
	}
}

// joinedAtRome is my shortcut, where Rome holds these objects.
func joinedAtRome(t *testing.T, objects []client.Object) *Shortcut {
	t.Helper()
	return New(leafWith(t, "rome", objects...), leafWith(t, "milan")).OwnedBy(me)
}

// atRome is the Configuration that Rome holds; nil for none.
func (s *Shortcut) atRome(t *testing.T) *networkingv1beta1.Configuration {
	t.Helper()
	found, err := s.Client.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found.Configuration
}
