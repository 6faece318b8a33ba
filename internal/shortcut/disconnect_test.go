package shortcut

import (
	"errors"
	"maps"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	authv1beta1 "github.com/liqotech/liqo/apis/authentication/v1beta1"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// withConfiguration is a leaf with our Configuration and tenant namespace for Rome, and these objects.
func withConfiguration(t *testing.T, more ...client.Object) *cluster.Leaf {
	t.Helper()
	return clustertest.Leaf(t, "milan", append(more, ours(clustertest.Configuration("rome")),
		romesNamespace(owner.Owner{}))...)
}

func TestDisconnectLeavesObjectsOfSomeoneElse(t *testing.T) {
	rome := clustertest.Leaf(t, "rome",
		append(clustertest.ClientEnd("milan", up), clustertest.TenantNamespace("milan"))...)
	before := versions(t, rome)
	must(t, New(rome, clustertest.Leaf(t, "milan")).Disconnect(t.Context(), Removal{}))
	if after := versions(t, rome); !maps.Equal(before, after) {
		t.Errorf("%v is %v now", before, after)
	}
}

func TestDisconnectRemovesObjectsThatAreMineOrNobodys(t *testing.T) {
	for name, objects := range belongings() {
		t.Run(name, func(t *testing.T) {
			s := joinedAtRome(t, objects)
			must(t, s.Disconnect(t.Context(), Removal{}))
			if gone := s.atRome(t) == nil; gone != (name == "mine" || name == "nobody's") {
				t.Errorf("gone: %t", gone)
			}
		})
	}
}

func TestARemovalReportsTheObjectsOfSomeoneElseThatStay(t *testing.T) {
	for name, test := range map[string]struct {
		there     []client.Object // besides the owner's Configuration and tenant namespace
		keySecret string
		kept      string
	}{
		"keys that somebody else has brought": {
			[]client.Object{clustertest.PublicKey("rome")}, "",
			`milan: Objects that another user created stay: PublicKey liqo-tenant-rome/rome. ` +
				`Liqo's record of "rome" also stays. Therefore, Namespace liqo-tenant-rome also stays`,
		},
		"the user's own Secret": {
			[]client.Object{clustertest.KeySecret("rome", nil)}, "my-keys",
			"milan: Your Secret liqo-tenant-rome/my-keys stays. Therefore, Namespace liqo-tenant-rome also stays",
		},
		"a Secret of that name that is not there": {nil, "my-keys", ""},
		"nothing": {nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			milan := clustertest.Leaf(t, "milan",
				append(test.there, marked(me, clustertest.Configuration("rome")), romesNamespace(me))...)
			shortcut := New(clustertest.Leaf(t, "rome"), milan).OwnedBy(me)
			for range 2 { // it can be repeated
				var kept []string
				must(t, shortcut.Disconnect(t.Context(), Removal{
					ServerKeySecret: liqo.KeySecret{Name: test.keySecret},
					Kept:            func(k Kept) { kept = append(kept, k.Leaf+": "+k.Why) },
				}))
				said := strings.Join(kept, "\n")
				if (said == "") != (test.kept == "") || !strings.HasPrefix(said, test.kept) {
					t.Errorf("kept is %s", said)
				}
			}
			left, err := shortcut.Server.TenantNamespace(t.Context())
			if err != nil || (left == nil) != (test.kept == "") || left != nil && me.Whose(left) != owner.Orphan {
				t.Errorf("the namespace that is left is %v (%v)", left, err)
			}
			for _, object := range test.there {
				must(t, milan.Clients().Live.Get(t.Context(), client.ObjectKeyFromObject(object), object))
				if _, secret := object.(*corev1.Secret); secret && cluster.RemoteID(object) != "" {
					t.Errorf("the Secret still has labels: %v", object.GetLabels())
				}
			}
		})
	}
}

func TestAPeeringKeepsItsNetworkUnlessForced(t *testing.T) {
	s := New(clustertest.Leaf(t, "rome", ours(clustertest.Configuration("milan")),
		ours(clustertest.TenantNamespace("milan")), clustertest.Peering("milan", liqov1beta1.ProviderRole)),
		clustertest.Leaf(t, "milan", ours(clustertest.Configuration("rome"))))
	refused(t, s.Disconnect(t.Context(), Removal{}), `a peering uses the network on leaf "rome"`, "role Provider",
		"Nothing was removed.")
	if n := s.found(t); n.client.Configuration == nil || n.server.Configuration == nil {
		t.Errorf("left are %v", n.made())
	}
	var kept []Kept
	must(t, s.Disconnect(t.Context(), Removal{EvenFromPeering: true, Kept: func(k Kept) { kept = append(kept, k) }}))
	if left := s.found(t).made(); len(left) > 0 || len(kept) != 1 ||
		!strings.Contains(kept[0].Why, "There is still the peering") {
		t.Errorf("left are %v, and %v are kept", left, kept)
	}
	if namespace, err := s.Client.TenantNamespace(t.Context()); err != nil || namespace == nil {
		t.Errorf("the peering has lost its tenant namespace (%v)", err)
	}
}

func TestADestroyThatCannotReleaseItsLeaseIsNotComplete(t *testing.T) {
	refused := apierrors.NewForbidden(coordinationv1.Resource("leases"), "", errors.New("no right to delete"))
	for name, removal := range map[string]Removal{"reset": {}, "disconnect": {KeepConfigurations: true}} {
		t.Run(name, func(t *testing.T) {
			s, spec := toConnect(t)
			s.connects(t, spec)
			clustertest.Fail[*coordinationv1.Lease](s.first().Leaf, "delete", refused)
			err := s.Disconnect(t.Context(), removal)
			if _, ok := errors.AsType[*steps.Failure](err); !ok || !apierrors.IsForbidden(err) {
				t.Errorf("it ends with %v", err)
			}
		})
	}
}

func TestADestroyThatHasWaitedForItsTurnLooksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(leafWith(t, "rome", ours(clustertest.Configuration("milan"))), withConfiguration(t))
		other := occupy(t, s, somebody)
		ended := make(chan error, 1)
		go func() { ended <- s.Disconnect(t.Context(), Removal{}) }()
		synctest.Wait() // it has looked, and waits for its turn
		peering := &authv1beta1.Tenant{
			ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "rome"},
			Spec:       authv1beta1.TenantSpec{ClusterID: "rome"},
		}
		must(t, errors.Join(s.Server.Leaf.Clients().Live.Create(t.Context(), peering), other.Release(t.Context())))
		refused(t, <-ended, `a peering uses the network on leaf "milan"`)
	})
}

func TestADestroyLooksForAPeeringAgainIfItsFirstLookFails(t *testing.T) {
	for name, failures := range map[string]int32{"once": 1, "again": math.MaxInt32} {
		t.Run(name, func(t *testing.T) {
			milan := withConfiguration(t)
			var asked atomic.Int32
			clustertest.On(milan, "list", func(call clustertest.Call[*authv1beta1.TenantList]) error {
				if asked.Add(1) <= failures {
					return apierrors.NewForbidden(authv1beta1.TenantGroupResource, "", errors.New("not allowed"))
				}
				return call.Send()
			})
			s := New(leafWith(t, "rome"), milan)
			err := s.Disconnect(t.Context(), Removal{})
			if left := s.found(t).made(); (err == nil) != (failures == 1) || (len(left) == 0) != (failures == 1) {
				t.Errorf("left are %v (%v)", left, err)
			}
		})
	}
}

// deletesNamespacesSlowly lets Kubernetes take until the end of a returned function to delete the namespaces of a leaf.
func deletesNamespacesSlowly(t *testing.T, leaf *cluster.Leaf) (end func()) {
	t.Helper()
	each := func(do func(*corev1.Namespace)) {
		var namespaces corev1.NamespaceList
		must(t, leaf.Clients().Live.List(t.Context(), &namespaces))
		for i := range namespaces.Items {
			do(&namespaces.Items[i])
			must(t, leaf.Clients().Live.Update(t.Context(), &namespaces.Items[i]))
		}
	}
	each(func(namespace *corev1.Namespace) { namespace.Finalizers = []string{"test/slow"} })
	return func() { each(func(namespace *corev1.Namespace) { namespace.Finalizers = nil }) }
}

func TestTheTurnOfADestroyEndsWhileKubernetesDeletesItsNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, spec := toConnect(t)
		s.connects(t, spec)
		next := New(s.Client.Leaf, s.Server.Leaf).OwnedBy(somebody)
		endRome, endMilan := deletesNamespacesSlowly(t, s.Client.Leaf), deletesNamespacesSlowly(t, s.Server.Leaf)
		destroyed, created := make(chan error, 1), make(chan error, 1)
		go func() { destroyed <- s.Disconnect(t.Context(), Removal{}) }()
		synctest.Wait()
		if left, err := hasLease(t.Context(), s.first()); err != nil || left {
			t.Errorf("the destroy still has the lock (%v)", err)
		}
		go func() { created <- next.Connect(t.Context(), spec) }()
		synctest.Wait()
		select {
		case err := <-destroyed:
			t.Errorf("the destroy does not wait for the namespaces (%v)", err)
		case err := <-created:
			t.Errorf("the create does not wait for the namespaces (%v)", err)
		default:
		}
		endRome()
		endMilan()
		must(t, errors.Join(<-destroyed, <-created))
		for _, e := range next.Ends() {
			namespace, err := e.TenantNamespace(t.Context())
			if err != nil || namespace == nil || end.Leaving(namespace) || !somebody.Marked(namespace) {
				t.Errorf("leaf %s has the namespace %v (%v)", e.Leaf.Name, namespace, err)
			}
		}
	})
}
