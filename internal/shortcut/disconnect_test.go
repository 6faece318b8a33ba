package shortcut

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	authv1beta1 "github.com/liqotech/liqo/apis/authentication/v1beta1"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// stays fails the test if an object is gone or replaced, or if it has Liqo's labels for a gateway's keys.
func stays(t *testing.T, leaf *cluster.Leaf, object client.Object) {
	t.Helper()
	left, ok := object.DeepCopyObject().(client.Object)
	if !ok {
		t.Fatalf("%T is no object", object)
	}
	if err := leaf.Clients().Live.Get(t.Context(), client.ObjectKeyFromObject(object), left); err != nil ||
		left.GetUID() != object.GetUID() {
		t.Errorf("%s is not as it was (%v)", leaf.Describe(object), err)
	}
	if _, secret := left.(*corev1.Secret); secret && cluster.RemoteID(left) != "" {
		t.Errorf("the Secret still has labels: %v", left.GetLabels())
	}
}

// withConfiguration is a leaf with our Configuration and tenant namespace for Rome, and these objects.
func withConfiguration(t *testing.T, more ...client.Object) *cluster.Leaf {
	t.Helper()
	return clustertest.Leaf(t, "milan", append(more, ours(clustertest.Configuration("rome")),
		romesNamespace(owner.Owner{}))...)
}

func TestDisconnectLeavesObjectsOfSomeoneElse(t *testing.T) {
	rome := clustertest.Leaf(t, "rome", clustertest.Configuration("milan"), clustertest.GatewayServer("milan", 51840),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "liqo-tenant-milan", Labels: map[string]string{
			"liqo.io/remote-cluster-id": "milan", "liqo.io/tenant-namespace": "true",
		}}})
	shortcut := New(rome, clustertest.Leaf(t, "milan"))
	must(t, shortcut.Disconnect(t.Context(), Removal{}))
	left, err := shortcut.Client.Find(t.Context())
	if err != nil || left.Configuration == nil || left.Gateway == nil {
		t.Errorf("left are %v (%v)", left.Made(), err)
	}
	namespace, err := shortcut.Client.TenantNamespace(t.Context())
	if err != nil || namespace == nil {
		t.Errorf("the tenant namespace is gone (%v)", err)
	}
}

func TestDisconnectRemovesObjectsThatAreMineOrNobodys(t *testing.T) {
	for name, objects := range belongings() {
		s := joinedAtRome(t, objects)
		if err := s.Disconnect(t.Context(), Removal{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if gone := s.atRome(t) == nil; gone != (name == "mine" || name == "nobody's") {
			t.Errorf("%s: gone: %t", name, gone)
		}
	}
}

func TestKeptConfigurationsHaveNoOwner(t *testing.T) {
	s := joinedAtRome(t, belongings()["mine"])
	must(t, s.Disconnect(t.Context(), Removal{KeepConfigurations: true}))
	if kept := s.atRome(t); kept == nil || me.Whose(kept) != owner.Orphan {
		t.Errorf("left is %v", kept)
	}
}

func TestARemovalReportsTheObjectsOfSomeoneElseThatStay(t *testing.T) {
	ours := owner.Owner{Token: "ours"}
	configuration := clustertest.Configuration("rome")
	ours.Mark(configuration)
	for name, test := range map[string]struct {
		there     client.Object // besides the owner's Configuration and tenant namespace
		keySecret string
		kept      string
	}{
		"keys that somebody else has brought": {
			clustertest.PublicKey("rome"), "",
			`Objects that another user created stay: PublicKey liqo-tenant-rome/rome. ` +
				`Liqo's record of "rome" also stays. Therefore, Namespace liqo-tenant-rome also stays`,
		},
		"the user's own Secret": {clustertest.KeySecret("rome", nil), "my-keys",
			"Your Secret liqo-tenant-rome/my-keys stays. Therefore, Namespace liqo-tenant-rome also stays"},
		"a Secret of that name that is not there": {nil, "my-keys", ""},
		"nothing": {nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			objects := []client.Object{configuration.DeepCopy(), romesNamespace(ours)}
			if test.there != nil {
				objects = append(objects, test.there)
			}
			milan := clustertest.Leaf(t, "milan", objects...)
			shortcut := New(clustertest.Leaf(t, "rome"), milan).OwnedBy(ours)
			for range 2 { // it can be repeated
				var kept []Kept
				removal := Removal{ServerKeySecret: liqo.KeySecret{Name: test.keySecret},
					Kept: func(k Kept) { kept = append(kept, k) }}
				must(t, shortcut.Disconnect(t.Context(), removal))
				if (len(kept) == 0) != (test.kept == "") || (len(kept) == 1 &&
					(kept[0].Leaf != "milan" || !strings.HasPrefix(kept[0].Why, test.kept))) {
					t.Errorf("kept is %v", kept)
				}
			}
			left, err := shortcut.Server.TenantNamespace(t.Context())
			if err != nil || (left == nil) != (test.kept == "") ||
				(left != nil && (left.Labels[owner.ManagedByLabel] != owner.ManagedBy || owner.TokenOf(left) != "")) {
				t.Errorf("the namespace that is left is %v (%v)", left, err)
			}
			if test.there != nil {
				stays(t, milan, test.there)
			}
		})
	}
}

func TestAPeeringKeepsItsNetworkUnlessForced(t *testing.T) {
	peered := func() *Shortcut {
		foreign := clustertest.Peering("milan", liqov1beta1.ProviderRole)
		namespace := tenantnamespace.NewManager(nil, nil).ForgeNamespace("milan", nil)
		return New(clustertest.Leaf(t, "rome", ours(clustertest.Configuration("milan")), ours(namespace), foreign),
			clustertest.Leaf(t, "milan", ours(clustertest.Configuration("rome"))))
	}
	shortcut := peered()
	err := shortcut.Disconnect(t.Context(), Removal{})
	if err == nil || !strings.Contains(err.Error(), "a peering uses the network") ||
		!strings.Contains(err.Error(), "role Provider") {
		t.Errorf("got: %v", err)
	}
	for _, e := range shortcut.Ends() {
		if left, err := e.Find(t.Context()); err != nil || left.Configuration == nil {
			t.Errorf("%s has lost its Configuration (%v)", e.Leaf.Name, err)
		}
	}

	forced := peered()
	must(t, forced.Disconnect(t.Context(), Removal{EvenFromPeering: true}))
	if left, err := forced.Client.Find(t.Context()); err != nil || left.Configuration != nil {
		t.Errorf("the Configuration is left (%v)", err)
	}
	if namespace, err := forced.Client.TenantNamespace(t.Context()); err != nil || namespace == nil {
		t.Errorf("the peering has lost its tenant namespace (%v)", err)
	}
}

func TestAPeeringIsDetectedByAnyOfItsObjects(t *testing.T) {
	meta := metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "part"}
	labelled := metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "part",
		Labels: map[string]string{"liqo.io/remote-cluster-id": "rome"}}
	rome, turin := ptr.To(liqov1beta1.ClusterID("rome")), ptr.To(liqov1beta1.ClusterID("turin"))
	for name, test := range map[string]struct {
		part  client.Object
		named string // in the refusal; empty where the network is removed
	}{
		"a Tenant": {&authv1beta1.Tenant{ObjectMeta: meta,
			Spec: authv1beta1.TenantSpec{ClusterID: "rome"}}, "Tenant liqo-tenant-rome/part"},
		"a Tenant by its label": {&authv1beta1.Tenant{ObjectMeta: labelled}, "Tenant liqo-tenant-rome/part"},
		"an Identity": {&authv1beta1.Identity{ObjectMeta: meta,
			Spec: authv1beta1.IdentitySpec{ClusterID: "rome"}}, "Identity liqo-tenant-rome/part"},
		"a ResourceSlice of the consumer": {&authv1beta1.ResourceSlice{ObjectMeta: meta,
			Spec: authv1beta1.ResourceSliceSpec{ConsumerClusterID: rome}}, "ResourceSlice liqo-tenant-rome/part"},
		"a ResourceSlice of the provider": {&authv1beta1.ResourceSlice{ObjectMeta: meta,
			Spec: authv1beta1.ResourceSliceSpec{ProviderClusterID: rome}}, "ResourceSlice liqo-tenant-rome/part"},
		"a Tenant of another cluster": {&authv1beta1.Tenant{ObjectMeta: meta,
			Spec: authv1beta1.TenantSpec{ClusterID: "turin"}}, ""},
		"a ResourceSlice of another": {&authv1beta1.ResourceSlice{ObjectMeta: meta,
			Spec: authv1beta1.ResourceSliceSpec{ConsumerClusterID: turin}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			shortcut := New(clustertest.Leaf(t, "rome"), withConfiguration(t, test.part))
			err := shortcut.Disconnect(t.Context(), Removal{})
			if test.named == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(),
				`the peering with "rome" (`+test.named+`). Nothing was removed.`) {
				t.Errorf("got: %v", err)
			}
			var kept []Kept
			removal := Removal{EvenFromPeering: true, Kept: func(k Kept) { kept = append(kept, k) }}
			must(t, shortcut.Disconnect(t.Context(), removal))
			if len(kept) != 1 || !strings.HasPrefix(kept[0].Why,
				`There is still the peering with "rome" (`+test.named+`). Therefore, Namespace liqo-tenant-rome also stays`) {
				t.Errorf("kept is %v", kept)
			}
			if namespace, err := shortcut.Server.TenantNamespace(t.Context()); err != nil || namespace == nil {
				t.Errorf("the peering has lost its tenant namespace (%v)", err)
			}
		})
	}
}

func TestALeafWithoutAuthenticationKindsHasNoPeeringAndAnUnreadableOneMayHaveOne(t *testing.T) {
	kinds := schema.GroupResource{Group: "authentication.liqo.io", Resource: "tenants"}
	for name, test := range map[string]struct {
		answer error
		goes   bool
	}{
		"kinds that it does not know": {apierrors.NewNotFound(kinds, ""), true},
		"kinds that may not be read":  {apierrors.NewForbidden(kinds, "", nil), false},
	} {
		t.Run(name, func(t *testing.T) {
			milan := withConfiguration(t)
			clustertest.Fail[*authv1beta1.TenantList](milan, "list", test.answer)
			shortcut := New(clustertest.Leaf(t, "rome"), milan)
			if err := shortcut.Disconnect(t.Context(), Removal{}); (err == nil) != test.goes {
				t.Error(err)
			}
			if left, err := shortcut.Server.Find(t.Context()); err != nil || (left.Configuration == nil) != test.goes {
				t.Errorf("left is %v (%v)", left.Configuration, err)
			}
		})
	}
}

func TestTheForeignClusterIsDeletedWithTheLastNetwork(t *testing.T) {
	foreignCluster := func() client.Object {
		foreign := clustertest.Peering("milan", liqov1beta1.UnknownRole)
		foreign.Status.Modules = liqov1beta1.Modules{}
		return foreign
	}
	elsewhere := clustertest.Configuration("milan")
	elsewhere.Namespace = "elsewhere"
	for name, test := range map[string]struct {
		more []client.Object
		goes bool
	}{
		"the last":               {nil, true},
		"not the last":           {[]client.Object{elsewhere}, false},
		"the last, of a peering": {[]client.Object{clustertest.Peering("milan", liqov1beta1.ProviderRole)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			objects := slices.Concat(belongings()["mine"], test.more)
			if name != "the last, of a peering" {
				objects = append(objects, foreignCluster())
			}
			s := joinedAtRome(t, objects)
			must(t, s.Disconnect(t.Context(), Removal{EvenFromPeering: true}))
			err := s.Client.Leaf.Clients().Live.Get(t.Context(), client.ObjectKey{Name: "milan"}, &liqov1beta1.ForeignCluster{})
			if gone := client.IgnoreNotFound(err) == nil && err != nil; gone != test.goes {
				t.Errorf("gone: %t (%v)", gone, err)
			}
		})
	}
}

func TestADestroyThatCannotReleaseItsLeaseIsNotComplete(t *testing.T) {
	refused := apierrors.NewForbidden(coordinationv1.Resource("leases"), "", errors.New("no right to delete"))
	for name, removal := range map[string]Removal{"reset": {}, "disconnect": {KeepConfigurations: true}} {
		t.Run(name, func(t *testing.T) {
			s := New(romeAndMilan(t)).OwnedBy(me)
			must(t, s.Connect(t.Context(), overNodePort))
			holder := s.first().Leaf
			clustertest.Fail[*coordinationv1.Lease](holder, "delete", refused)
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
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "a peering uses the network") {
			t.Errorf("got: %v", err)
		}
	})
}

func TestADestroyLooksAgainIfItsFirstLookFails(t *testing.T) {
	milan := withConfiguration(t)
	var asked atomic.Int32
	clustertest.On(milan, "list", func(call clustertest.Call[*authv1beta1.TenantList]) error {
		if asked.Add(1) == 1 {
			return apierrors.NewServiceUnavailable("the API server restarts")
		}
		return call.Send()
	})
	s := New(leafWith(t, "rome"), milan)
	must(t, s.Disconnect(t.Context(), Removal{}))
	if left, err := s.Server.Find(t.Context()); err != nil || len(left.All()) > 0 {
		t.Errorf("left are %v (%v)", left.All(), err)
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
		leaves := joined(t)
		endRome, endMilan := deletesNamespacesSlowly(t, leaves[0]), deletesNamespacesSlowly(t, leaves[1])
		destroyed, created := make(chan error, 1), make(chan error, 1)
		go func() { destroyed <- New(leaves[0], leaves[1]).OwnedBy(me).Disconnect(t.Context(), Removal{}) }()
		synctest.Wait()
		next := New(leaves[0], leaves[1]).OwnedBy(somebody)
		if left, err := hasLease(t.Context(), New(leaves[0], leaves[1]).OwnedBy(me).first()); err != nil || left {
			t.Errorf("the destroy still has the lock (%v)", err)
		}
		go func() { created <- next.Connect(t.Context(), overNodePort) }()
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
