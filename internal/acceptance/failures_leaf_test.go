package acceptance

import (
	"context"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// administrator returns a client that accesses a cluster directly, without the provider. It knows every kind of
// Kubernetes and Liqo. All tests on the lab share it, because each new one asks the API server for all kinds again.
func (l *Lab) administrator(t *testing.T, name string) client.WithWatch {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.administrators[name]; c != nil {
		return c
	}
	config, err := clientcmd.BuildConfigFromFlags("", l.cluster(t, name).Kubeconfig)
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

// have creates an object for the duration of the test.
func (l *Lab) have(t *testing.T, name string, object client.Object) {
	t.Helper()
	c := l.administrator(t, name)
	if err := c.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := deleteAndWait(context.WithoutCancel(t.Context()), c, object); err != nil {
			t.Error(err)
		}
	})
}

// deleteAndWait deletes an object and returns once it is gone. A namespace needs some time.
func deleteAndWait(ctx context.Context, c client.WithWatch, object client.Object) error {
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

// timeToHappen is the maximum time to wait for something that takes seconds.
const timeToHappen = 2 * time.Minute

// await returns once the object with this name in a cluster's tenant namespace is as expected. It watches the object,
// so it misses no change and does not poll.
func await[T client.Object](
	t *testing.T, l *Lab, cluster string, kind client.ObjectList, name string, done func(T) bool,
) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeToHappen)
	defer cancel()
	changes, err := l.administrator(t, cluster).Watch(ctx, kind, client.MatchingFields{"metadata.name": name})
	if err != nil {
		t.Fatal(err)
	}
	defer changes.Stop()
	for change := range changes.ResultChan() {
		if object, ok := change.Object.(T); ok && change.Type != watch.Deleted && done(object) {
			return
		}
	}
	t.Fatalf("gave up waiting for a change of %s on %s: %v", name, cluster, context.Cause(ctx))
}

// connectionAppears returns a channel that is closed by the first Connection on a cluster. A gateway creates it when it
// has everything to dial or to listen.
func (l *Lab) connectionAppears(t *testing.T, name string) <-chan struct{} {
	t.Helper()
	return l.happens(t, name, &networkingv1beta1.ConnectionList{}, watch.Added)
}

// gone returns a channel that is closed when an object of this kind is deleted on a cluster.
func (l *Lab) gone(t *testing.T, name string, kind client.ObjectList, which ...client.ListOption) <-chan struct{} {
	t.Helper()
	return l.happens(t, name, kind, watch.Deleted, which...)
}

// happens returns a channel that is closed by the first event of this type on a cluster, or at the end of the test.
func (l *Lab) happens(
	t *testing.T, name string, kind client.ObjectList, expected watch.EventType, which ...client.ListOption,
) <-chan struct{} {
	t.Helper()
	changes, err := l.administrator(t, name).Watch(t.Context(), kind, which...)
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

// limitedToken returns the token of a user with all permissions that a shortcut needs, but only these verbs on
// GatewayServers.
func (l *Lab) limitedToken(t *testing.T, name string, verbs []string) string {
	t.Helper()
	meta, all := metav1.ObjectMeta{Name: "limited", Namespace: metav1.NamespaceDefault}, []string{rbacv1.VerbAll}
	account := &corev1.ServiceAccount{ObjectMeta: meta}
	l.have(t, name, account)
	l.have(t, name, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: meta.Name}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"", "apps", "coordination.k8s.io", "core.liqo.io", "ipam.liqo.io"}, Resources: all, Verbs: all},
		{APIGroups: []string{networkingv1beta1.GroupVersion.Group}, Verbs: all, Resources: []string{
			networkingv1beta1.ConfigurationResource, networkingv1beta1.GatewayClientResource,
			networkingv1beta1.PublicKeyResource,
			networkingv1beta1.ConnectionResource, networkingv1beta1.WgGatewayServerResource,
			networkingv1beta1.WgGatewayClientResource,
			networkingv1beta1.WgGatewayServerTemplateResource, networkingv1beta1.WgGatewayClientTemplateResource,
		}},
		{
			APIGroups: []string{networkingv1beta1.GroupVersion.Group}, Verbs: verbs,
			Resources: []string{networkingv1beta1.GatewayServerResource},
		},
	}})
	l.have(t, name, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: meta.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: meta.Namespace, Name: meta.Name}},
	})
	token := &authenticationv1.TokenRequest{}
	if err := l.administrator(t, name).SubResource("token").Create(t.Context(), account, token); err != nil {
		t.Fatal(err)
	}
	return token.Status.Token
}
