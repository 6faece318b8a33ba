package shortcut

import (
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// killed is the owner of a create that was killed.
var killed = owner.Owner{Token: "killed", Origin: owner.Origin{CreatedBy: "carol@ci", Directory: "gone"}}

// leftBehind is the Lease that the create of killed has left behind long ago. Interrupted says that Terraform has ended
// the create.
func leftBehind(interrupted bool) *coordinationv1.Lease {
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
		Namespace: "liqo", Name: "terraform-provider-liqo.milan.rome",
	}}
	killed.Mark(lease)
	owner.Unfinished{killed.Token: {Origin: killed.Origin, Interrupted: interrupted}}.Mark(lease)
	return lease
}

// marked marks an object as the owner's.
func marked[T client.Object](self owner.Owner, object T) T {
	self.Mark(object)
	return object
}

// belongings are networks of every kind of owner on Rome. Each is one Configuration and the other objects that show
// whose it is.
func belongings() map[string][]client.Object {
	return map[string][]client.Object{
		"mine":                                  {marked(me, clustertest.Configuration("milan"))},
		"another's":                             {marked(somebody, clustertest.Configuration("milan"))},
		"nobody's":                              {ours(clustertest.Configuration("milan"))},
		"abandoned by a create that was killed": {marked(killed, clustertest.Configuration("milan"))},
		"made by liqoctl":                       {clustertest.Configuration("milan")},
		"a peering's": {clustertest.Configuration("milan"),
			clustertest.Peering("milan", liqov1beta1.ProviderRole)},
	}
}

// joinedAtRome is my shortcut. Rome has these objects, and Milan the Lease of a create that was killed.
func joinedAtRome(t *testing.T, objects []client.Object) *Shortcut {
	t.Helper()
	return New(leafWith(t, "rome", objects...), leafWith(t, "milan", leftBehind(false))).OwnedBy(me)
}

// atRome returns the Configuration on Rome, or nil.
func (s *Shortcut) atRome(t *testing.T) *networkingv1beta1.Configuration {
	t.Helper()
	objects, err := s.Client.Find(t.Context())
	must(t, err)
	return objects.Configuration
}
