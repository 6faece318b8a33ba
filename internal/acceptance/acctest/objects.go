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
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Other is the other one of the two clusters that most tests need.
var Other = map[string]string{"rome": "milan", "milan": "rome"}

// Named gives an object a namespace and a name.
func Named[T client.Object](object T, namespace, name string) T {
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}

// NamespaceNamed returns an ordinary namespace.
func NamespaceNamed(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// Patch changes an object of a cluster, outside of Terraform. It also works in a cleanup.
func (l *Lab) Patch(t *testing.T, cluster string, object client.Object, patch string) {
	t.Helper()
	merged := client.RawPatch(types.MergePatchType, []byte(patch))
	Must(t, l.Client(t, cluster).Patch(context.WithoutCancel(t.Context()), object, merged))
}

// PatchStatus changes the status of an object of a cluster, as a controller does. It also works in a cleanup.
func (l *Lab) PatchStatus(t *testing.T, cluster string, object client.Object, patch string) {
	t.Helper()
	merged := client.RawPatch(types.MergePatchType, []byte(patch))
	Must(t, l.Client(t, cluster).Status().Patch(context.WithoutCancel(t.Context()), object, merged))
}

// PatchInTenant changes the only object of this kind that belongs to another cluster, outside of Terraform.
func (l *Lab) PatchInTenant(t *testing.T, cluster string, kind client.Object, patch string) {
	t.Helper()
	l.Patch(t, cluster, Named(kind, "liqo-tenant-"+Other[cluster], Other[cluster]), patch)
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

// Only returns the only object of a cluster in a list of this kind.
func Only[T client.Object](
	t *testing.T, l *Lab, cluster string, kind client.ObjectList, which ...client.ListOption,
) T {
	t.Helper()
	Must(t, l.Client(t, cluster).List(t.Context(), kind, which...))
	objects, err := meta.ExtractList(kind)
	if err != nil || len(objects) != 1 {
		t.Fatalf("%s has %d objects of %T, %v (%v)", cluster, len(objects), kind, which, err)
	}
	return objects[0].(T) //nolint:errcheck,forcetypeassert // the kind of the list
}

// Have creates an object for the duration of the test.
func (l *Lab) Have(t *testing.T, name string, object client.Object) {
	t.Helper()
	c := l.Client(t, name)
	Must(t, c.Create(t.Context(), object))
	Finally(t, func() error { return DeleteAndWait(context.WithoutCancel(t.Context()), c, object) })
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

// Failed reports whether a tunnel is down.
func Failed(connection *networkingv1beta1.Connection) bool {
	return connection.Status.Value == networkingv1beta1.ConnectionError
}

// ComesUp returns once both ends of the tunnel from Rome to Milan report it as up.
func (l *Lab) ComesUp(t *testing.T) {
	t.Helper()
	l.awaitTunnel(t, networkingv1beta1.Connected)
}

// GoesDown returns once both ends of the tunnel from Rome to Milan report it as down.
func (l *Lab) GoesDown(t *testing.T) {
	t.Helper()
	l.awaitTunnel(t, networkingv1beta1.ConnectionError)
}

func (l *Lab) awaitTunnel(t *testing.T, status networkingv1beta1.ConnectionStatusValue) {
	t.Helper()
	for _, cluster := range []string{"rome", "milan"} {
		Await(t, l, cluster, &networkingv1beta1.ConnectionList{}, "gw-"+Other[cluster],
			func(connection *networkingv1beta1.Connection) bool { return connection.Status.Value == status })
	}
}

// DeleteFromTenant deletes the only object of this kind that belongs to another cluster, outside of Terraform. It
// returns when the object is gone.
func (l *Lab) DeleteFromTenant(t *testing.T, cluster string, kind client.Object) {
	t.Helper()
	Must(t, l.Client(t, cluster).DeleteAllOf(t.Context(), kind, client.InNamespace("liqo-tenant-"+Other[cluster])))
}

// WebService returns the Service of the shop.
func WebService() *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", Annotations: map[string]string{"team": "shop"}},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 80}}},
	}
}

// Deployment returns a Deployment of such pods, with these labels.
func Deployment(namespace, name string, labels map[string]string, pod corev1.PodSpec) *appsv1.Deployment {
	return Named(&appsv1.Deployment{Spec: appsv1.DeploymentSpec{
		Selector: metav1.SetAsLabelSelector(labels),
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod},
	}}, namespace, name)
}

// WireguardKeys returns a Secret in the format that Liqo's gateways read.
func WireguardKeys(t *testing.T, namespace, name string) *corev1.Secret {
	t.Helper()
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	Must(t, err)
	return Named(&corev1.Secret{Data: map[string][]byte{
		consts.PrivateKeyField: private.Bytes(), consts.PublicKeyField: private.PublicKey().Bytes(),
	}}, namespace, name)
}

// HaveKeys creates a Secret with gateway keys in namespace default of a cluster, for the duration of the test.
func (l *Lab) HaveKeys(t *testing.T, cluster, name string) map[string][]byte {
	t.Helper()
	secret := WireguardKeys(t, "default", name)
	l.Have(t, cluster, secret)
	return secret.Data
}

// Template returns a template of the gateways of an end, Client or Server, with nothing but a name. It has objects
// without a kind, so no type reads it.
func Template(end, namespace, name string) *unstructured.Unstructured {
	template := &unstructured.Unstructured{}
	template.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind("WgGateway" + end + "Template"))
	return Named(template, namespace, name)
}

// templateOf returns Liqo's template of the gateways of Rome, which dial, or of Milan.
func (l *Lab) templateOf(t *testing.T, cluster string) *unstructured.Unstructured {
	t.Helper()
	template := map[string]*unstructured.Unstructured{
		"rome": Template("Client", "liqo", "wireguard-client"), "milan": Template("Server", "liqo", "wireguard-server"),
	}[cluster]
	Must(t, l.Client(t, cluster).Get(t.Context(), client.ObjectKeyFromObject(template), template))
	return template
}

// CopyTemplate creates a copy of Liqo's template of the gateways of Rome or of Milan, for the duration of the test.
func (l *Lab) CopyTemplate(t *testing.T, cluster, name string) {
	t.Helper()
	template := l.templateOf(t, cluster)
	template.Object["metadata"] = map[string]any{"namespace": "liqo", "name": name}
	l.Have(t, cluster, template)
}
