package acctest

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
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
	Must(t, c.Patch(t.Context(), kind, client.RawPatch(types.MergePatchType, []byte(patch))))
}

// NamespaceNamed returns an ordinary namespace.
func NamespaceNamed(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// WireguardKeys returns a Secret in the format that Liqo's gateways read.
func WireguardKeys(t *testing.T, namespace, name string) *corev1.Secret {
	t.Helper()
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	Must(t, err)
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Data: map[string][]byte{
			consts.PrivateKeyField: private.Bytes(), consts.PublicKeyField: private.PublicKey().Bytes(),
		},
	}
}

// Get returns an object of a cluster, which must exist.
func Get[T any, P interface {
	*T
	client.Object
}](t *testing.T, l *Lab, cluster, namespace, name string) P {
	t.Helper()
	object := P(new(T))
	Must(t, l.Client(t, cluster).Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, object))
	return object
}

// Have creates an object for the duration of the test.
func (l *Lab) Have(t *testing.T, name string, object client.Object) {
	t.Helper()
	c := l.Client(t, name)
	Must(t, c.Create(t.Context(), object))
	t.Cleanup(func() {
		if err := DeleteAndWait(context.WithoutCancel(t.Context()), c, object); err != nil {
			t.Error(err)
		}
	})
}

// DeleteAndWait deletes an object and returns once it is gone. A namespace needs some time.
func DeleteAndWait(ctx context.Context, c client.WithWatch, object client.Object) error {
	if _, isNamespace := object.(*corev1.Namespace); !isNamespace {
		return client.IgnoreNotFound(c.Delete(ctx, object))
	}
	return untilGone(ctx, c, &corev1.NamespaceList{}, object, func() error { return c.Delete(ctx, object) })
}

// untilGone returns once an object of this kind is gone, after a request for it.
func untilGone(
	ctx context.Context, c client.WithWatch, kind client.ObjectList, object client.Object, request func() error,
) error {
	changes, err := c.Watch(ctx, kind, client.InNamespace(object.GetNamespace()),
		client.MatchingFields{"metadata.name": object.GetName()})
	if err != nil {
		return err
	}
	defer changes.Stop()
	if err := request(); err != nil {
		return client.IgnoreNotFound(err)
	}
	return awaitEvent(changes, func(event watch.Event) bool { return event.Type == watch.Deleted })
}

// TimeToHappen is the maximum time to wait for something that takes seconds.
const TimeToHappen = 2 * time.Minute

// awaitEvent returns once an event of a watch is as expected. It fails if the watch ends before.
func awaitEvent(changes watch.Interface, expected func(watch.Event) bool) error {
	for event := range changes.ResultChan() {
		if expected(event) {
			return nil
		}
	}
	return errors.New("the watch has ended")
}

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
	changes, err := l.Client(t, cluster).Watch(ctx, kind, which...)
	Must(t, err)
	defer changes.Stop()
	if err := awaitEvent(changes, func(event watch.Event) bool {
		object, ok := event.Object.(T)
		return ok && event.Type != watch.Deleted && done(object)
	}); err != nil {
		t.Fatalf("gave up waiting for a change of %T, %v, on %s: %v, %v", kind, which, cluster, err, context.Cause(ctx))
	}
}

// Happens returns a channel that is closed by the first event of this type on a cluster, or at the end of the test.
func (l *Lab) Happens(
	t *testing.T, name string, kind client.ObjectList, expected watch.EventType, which ...client.ListOption,
) <-chan struct{} {
	t.Helper()
	changes, err := l.Client(t, name).Watch(t.Context(), kind, which...)
	Must(t, err)
	happened := make(chan struct{})
	go func() {
		defer close(happened)
		defer changes.Stop()
		// An error is the end of the test.
		_ = awaitEvent(changes, func(event watch.Event) bool { return event.Type == expected })
	}()
	return happened
}

// Gone returns a channel that is closed when an object of this kind is deleted on a cluster.
func (l *Lab) Gone(t *testing.T, name string, kind client.ObjectList, which ...client.ListOption) <-chan struct{} {
	t.Helper()
	return l.Happens(t, name, kind, watch.Deleted, which...)
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
		Must(t, c.DeleteAllOf(t.Context(), kind, client.InNamespace(namespace)))
	}
}

// CopyTemplate creates a copy of one of Liqo's templates on a cluster, for the duration of the test.
func (l *Lab) CopyTemplate(t *testing.T, cluster, kind, from, to string) {
	t.Helper()
	template := &unstructured.Unstructured{}
	template.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(kind))
	key := client.ObjectKey{Namespace: "liqo", Name: from}
	Must(t, l.Client(t, cluster).Get(t.Context(), key, template))
	template.Object["metadata"] = map[string]any{"namespace": "liqo", "name": to}
	l.Have(t, cluster, template)
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
	l.Have(t, cluster, secret)
	return secret.Data
}
