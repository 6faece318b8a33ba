package shortcut

import (
	"errors"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/liqotest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

var (
	me       = owner.Owner{Token: "me", Origin: owner.Origin{Directory: "mine"}}
	somebody = owner.Owner{Token: "somebody", Origin: owner.Origin{CreatedBy: "alice@ci", Directory: "theirs"}}
)

var (
	up     = networkingv1beta1.ConnectionStatus{Value: networkingv1beta1.Connected}
	failed = networkingv1beta1.ConnectionStatus{Value: networkingv1beta1.ConnectionError}
)

var overNodePort = Spec{
	TunnelSettings: liqo.TunnelSettings{MTU: 1340},
	Server:         liqo.GatewaySettings{Role: liqo.ServerRole, ServiceType: corev1.ServiceTypeNodePort, Port: 51840},
}.shareSettings()

// ranges are the address ranges of a leaf with that pod CIDR, as Liqo's IPAM has them.
func ranges(podCIDR string) []client.Object {
	return clustertest.Ranges(podCIDR, "10.70.0.0/16")
}

// romeAndMilan are two leaves whose ranges do not overlap. A stand-in for Liqo reacts on them.
func romeAndMilan(t *testing.T) (rome, milan *cluster.Leaf) {
	t.Helper()
	return liqotest.Leaf(t, "rome", ranges("10.0.0.0/16")...), liqotest.Leaf(t, "milan", ranges("10.1.0.0/16")...)
}

// toConnect is a shortcut of mine between them, and how to make it.
func toConnect(t *testing.T) (*Shortcut, Spec) {
	t.Helper()
	return New(romeAndMilan(t)).OwnedBy(me), overNodePort
}

// connects fails if the shortcut can't be connected.
func (s *Shortcut) connects(t *testing.T, spec Spec) {
	t.Helper()
	must(t, s.Connect(t.Context(), spec))
}

// seen returns the state of a shortcut.
func (s *Shortcut) seen(t *testing.T) State {
	t.Helper()
	state, err := s.Observe(t.Context())
	must(t, err)
	return state
}

// seen returns the state of an object.
func (o EndObject) seen(t *testing.T) EndObjectState {
	t.Helper()
	state, err := o.Observe(t.Context())
	must(t, err)
	return state
}

// found are the objects of the network in the leaves' caches.
func (s *Shortcut) found(t *testing.T) network {
	t.Helper()
	n, err := s.find(t.Context())
	must(t, err)
	return n
}

// refused checks that an error has this headline and names this object and this owner.
func refused(t *testing.T, err error, headline string, names ...string) {
	t.Helper()
	if got := explain.Summary(err); got != headline {
		t.Errorf("the headline is %q (%v)", got, err)
	}
	clustertest.Has(t, explain.Detail(err), names...)
}

func errorOf[T any](_ T, err error) error { return err }

// leafWith is a leaf with address ranges and these objects.
func leafWith(t *testing.T, name string, objects ...client.Object) *cluster.Leaf {
	t.Helper()
	return clustertest.Leaf(t, name, append(ranges("10.0.0.0/16"), objects...)...)
}

func ours[T client.Object](object T) T { owner.Owner{}.Mark(object); return object }

// byProvider marks objects as created by this provider.
func byProvider(objects []client.Object) []client.Object {
	for _, object := range objects {
		if _, seen := object.(*networkingv1beta1.Connection); !seen {
			owner.Owner{}.Mark(object)
		}
	}
	return objects
}

// exposedGateway is Milan's gateway for Rome after Liqo has reacted to it.
func exposedGateway() *networkingv1beta1.GatewayServer {
	return ours(clustertest.WireGuard(clustertest.GatewayServer("rome", 51840)))
}

// romesNamespace is Milan's tenant namespace for Rome, of that owner.
func romesNamespace(self owner.Owner) *corev1.Namespace {
	namespace := clustertest.TenantNamespace("rome")
	self.Mark(namespace)
	return namespace
}

// annotate sets one annotation of this provider.
func annotate(object client.Object, key, value string) {
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[owner.ManagedBy+"/"+key] = value
	object.SetAnnotations(annotations)
}

// ownedByAnother reports whether an error means that another resource instance owns what this one needs.
func ownedByAnother(err error) bool {
	_, ok := errors.AsType[*otherOwnerError](err)
	return ok
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// killed is the owner of a create that was killed.
var killed = owner.Owner{Token: "killed", Origin: owner.Origin{CreatedBy: "carol@ci", Directory: "gone"}}

// leftBehind is the Lease that the create of killed has left behind long ago.
func leftBehind() *coordinationv1.Lease {
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
		Namespace: "liqo", Name: "terraform-provider-liqo.milan.rome",
	}}
	killed.Mark(lease)
	owner.Unfinished{killed.Token: {Origin: killed.Origin}}.Mark(lease)
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
	return New(leafWith(t, "rome", objects...), leafWith(t, "milan", leftBehind())).OwnedBy(me)
}

// atRome returns the Configuration on Rome, or nil.
func (s *Shortcut) atRome(t *testing.T) *networkingv1beta1.Configuration {
	t.Helper()
	return s.found(t).client.Configuration
}

// claims is me after an import.
var claims = owner.Owner{Token: me.Token, Origin: me.Origin, Claims: true}
