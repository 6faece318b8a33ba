package acctest

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"maps"
	"testing"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Failed reports whether a tunnel is down.
func Failed(connection *networkingv1beta1.Connection) bool {
	return connection.Status.Value == networkingv1beta1.ConnectionError
}

// PatchInTenant changes the only object of this kind that belongs to another cluster, outside of Terraform.
func (l *Lab) PatchInTenant(t *testing.T, cluster string, kind client.Object, patch string) {
	t.Helper()
	c, name := l.Client(t, cluster), map[string]string{"rome": "milan", "milan": "rome"}[cluster]
	kind.SetNamespace("liqo-tenant-" + name)
	kind.SetName(name)
	if err := c.Patch(t.Context(), kind, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		t.Fatal(err)
	}
}

// NamespaceNamed returns an ordinary namespace.
func NamespaceNamed(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// WireguardKeys returns a Secret in the format that Liqo's gateways read.
func WireguardKeys(t *testing.T, namespace, name string) *corev1.Secret {
	t.Helper()
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Data: map[string][]byte{
			consts.PrivateKeyField: private.Bytes(), consts.PublicKeyField: private.PublicKey().Bytes(),
		},
	}
}

// ConnectionBreaks returns a channel that is closed once a cluster's gateway reports that its tunnel is not up.
func (l *Lab) ConnectionBreaks(t *testing.T, name string) <-chan struct{} {
	t.Helper()
	changes, err := l.Administrator(t, name).Watch(t.Context(), &networkingv1beta1.ConnectionList{})
	if err != nil {
		t.Fatal(err)
	}
	broken := make(chan struct{})
	go func() {
		defer close(broken)
		defer changes.Stop()
		for change := range changes.ResultChan() {
			if connection, ok := change.Object.(*networkingv1beta1.Connection); ok &&
				connection.Status.Value == networkingv1beta1.ConnectionError {
				return
			}
		}
	}()
	return broken
}

// Administrator returns a client that accesses a cluster directly, without the provider. It knows every kind of
// Kubernetes and Liqo. All tests on the lab share it, because each new one asks the API server for all kinds again.
func (l *Lab) Administrator(t *testing.T, name string) client.WithWatch {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.administrators[name]; c != nil {
		return c
	}
	config, err := clientcmd.BuildConfigFromFlags("", l.Cluster(t, name).Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1 // no limit
	scheme := cluster.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	if l.administrators == nil {
		l.administrators = map[string]client.WithWatch{}
	}
	l.administrators[name] = c
	return c
}

// Have creates an object for the duration of the test.
func (l *Lab) Have(t *testing.T, name string, object client.Object) {
	t.Helper()
	c := l.Administrator(t, name)
	if err := c.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := DeleteAndWait(context.WithoutCancel(t.Context()), c, object); err != nil {
			t.Error(err)
		}
	})
}

// DeleteAndWait deletes an object and returns once it is gone. A namespace needs some time.
func DeleteAndWait(ctx context.Context, c client.WithWatch, object client.Object) error {
	_, isNamespace := object.(*corev1.Namespace)
	var changes watch.Interface
	if isNamespace {
		var err error
		if changes, err = c.Watch(
			ctx, &corev1.NamespaceList{}, client.MatchingFields{"metadata.name": object.GetName()},
		); err != nil {
			return err
		}
		defer changes.Stop()
	}
	if err := c.Delete(ctx, object); err != nil || !isNamespace {
		return client.IgnoreNotFound(err)
	}
	for change := range changes.ResultChan() {
		if change.Type == watch.Deleted {
			return nil
		}
	}
	if err := c.Get(ctx, client.ObjectKeyFromObject(object), object); !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}

// TimeToHappen is the maximum time to wait for something that takes seconds.
const TimeToHappen = 2 * time.Minute

// Await returns once the object with this name in a cluster's tenant namespace is as expected.
func Await[T client.Object](
	t *testing.T, l *Lab, cluster string, kind client.ObjectList, name string, done func(T) bool,
) {
	t.Helper()
	AwaitAny(t, l, cluster, kind, done, client.MatchingFields{"metadata.name": name})
}

// AwaitAny returns once one of these objects is as expected. It watches them, so it misses no change and does not poll.
func AwaitAny[T client.Object](
	t *testing.T, l *Lab, cluster string, kind client.ObjectList, done func(T) bool, which ...client.ListOption,
) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), TimeToHappen)
	defer cancel()
	changes, err := l.Administrator(t, cluster).Watch(ctx, kind, which...)
	if err != nil {
		t.Fatal(err)
	}
	defer changes.Stop()
	for change := range changes.ResultChan() {
		if object, ok := change.Object.(T); ok && change.Type != watch.Deleted && done(object) {
			return
		}
	}
	t.Fatalf("gave up waiting for a change of %T, %v, on %s: %v", kind, which, cluster, context.Cause(ctx))
}

// Gone returns a channel that is closed when an object of this kind is deleted on a cluster.
func (l *Lab) Gone(t *testing.T, name string, kind client.ObjectList, which ...client.ListOption) <-chan struct{} {
	t.Helper()
	return l.Happens(t, name, kind, watch.Deleted, which...)
}

// Happens returns a channel that is closed by the first event of this type on a cluster, or at the end of the test.
func (l *Lab) Happens(
	t *testing.T, name string, kind client.ObjectList, expected watch.EventType, which ...client.ListOption,
) <-chan struct{} {
	t.Helper()
	changes, err := l.Administrator(t, name).Watch(t.Context(), kind, which...)
	if err != nil {
		t.Fatal(err)
	}
	happened := make(chan struct{})
	go func() {
		defer close(happened)
		defer changes.Stop()
		for change := range changes.ResultChan() {
			if change.Type == expected {
				return
			}
		}
	}()
	return happened
}

// IsUp reports whether a tunnel is up.
func IsUp(connection *networkingv1beta1.Connection) bool {
	return connection.Status.Value == networkingv1beta1.Connected
}

// GatewayServer returns the UID of Milan's gateway for Rome.
func (l *Lab) GatewayServer(t *testing.T) types.UID {
	t.Helper()
	var servers networkingv1beta1.GatewayServerList
	if err := l.Client(t, "milan").List(t.Context(), &servers); err != nil || len(servers.Items) != 1 {
		t.Fatalf("got %d GatewayServers on Milan (%v)", len(servers.Items), err)
	}
	return servers.Items[0].UID
}

// ComesUp returns once both ends of the tunnel from Rome to Milan report it as up.
func (l *Lab) ComesUp(t *testing.T) {
	t.Helper()
	Await(t, l, "rome", &networkingv1beta1.ConnectionList{}, "gw-milan", IsUp)
	Await(t, l, "milan", &networkingv1beta1.ConnectionList{}, "gw-rome", IsUp)
}

// DeleteFromTenant deletes the only object of this kind that belongs to another cluster, outside of Terraform. It
// returns when the object is gone.
func (l *Lab) DeleteFromTenant(t *testing.T, cluster string, kind client.Object) {
	t.Helper()
	c := l.Client(t, cluster)
	for _, namespace := range []string{"liqo-tenant-rome", "liqo-tenant-milan"} {
		if err := c.DeleteAllOf(t.Context(), kind, client.InNamespace(namespace)); err != nil {
			t.Fatal(err)
		}
	}
}

// RemoveTrace deletes everything that a cluster has of another one, outside of Terraform: the tenant namespace and
// Liqo's record.
func (l *Lab) RemoveTrace(t *testing.T, at, of string) {
	t.Helper()
	if err := DeleteAndWait(t.Context(), l.Administrator(t, at), NamespaceNamed("liqo-tenant-"+of)); err != nil {
		t.Fatal(err)
	}
	Await(t, l, at, &liqov1beta1.ForeignClusterList{}, of, func(record *liqov1beta1.ForeignCluster) bool {
		return !record.Status.Modules.Networking.Enabled // before that, Liqo would create its record again
	})
	if err := l.Client(t, at).Delete(
		t.Context(), &liqov1beta1.ForeignCluster{ObjectMeta: metav1.ObjectMeta{Name: of}},
	); err != nil {
		t.Fatal(err)
	}
}

// CopyTemplate creates a copy of one of Liqo's templates on a cluster, for the duration of the test.
func (l *Lab) CopyTemplate(t *testing.T, cluster, kind, from, to string) {
	t.Helper()
	c := l.Client(t, cluster)
	template := &unstructured.Unstructured{}
	template.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(kind))
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "liqo", Name: from}, template); err != nil {
		t.Fatal(err)
	}
	duplicate := &unstructured.Unstructured{Object: map[string]any{"spec": template.Object["spec"]}}
	duplicate.SetGroupVersionKind(template.GroupVersionKind())
	duplicate.SetNamespace("liqo")
	duplicate.SetName(to)
	if err := c.Create(t.Context(), duplicate); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Delete(context.WithoutCancel(t.Context()), duplicate) })
}

// WebService returns the Service of the shop.
func WebService() *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", Annotations: map[string]string{"team": "shop"}},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 80}}},
	}
}

// HaveKeys creates a Secret with gateway keys in namespace default of a cluster, for the duration of the test.
func (l *Lab) HaveKeys(t *testing.T, cluster, name string) map[string][]byte {
	t.Helper()
	secret := WireguardKeys(t, "default", name)
	keys := maps.Clone(secret.Data)
	l.Have(t, cluster, secret)
	return keys
}
