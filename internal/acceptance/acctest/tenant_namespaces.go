package acctest

import (
	"context"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// WithTenantNamespaces makes the tenant namespaces of all pairs of clusters, unless they exist, and Liqo's records of
// the clusters, as an earlier network of other people leaves them. They stay when a shortcut goes. Kubernetes takes
// five seconds and four hundred requests to remove those of one pair, so this is for tests that are not about that.
func WithTenantNamespaces(l *Lab) error {
	for _, c := range l.Clusters {
		for _, other := range l.Clusters {
			if other.Name == c.Name || c.LiqoVersion == "" || other.LiqoVersion == "" {
				continue
			}
			if err := makeTenantNamespace(l.clients[c.Name], liqov1beta1.ClusterID(other.ClusterID)); err != nil {
				return err
			}
		}
	}
	return nil
}

// makeTenantNamespace makes the tenant namespace for another cluster, with all that Kubernetes makes in it.
func makeTenantNamespace(c client.Client, other liqov1beta1.ClusterID) error {
	namespace := tenantnamespace.NewManager(nil, c.Scheme()).ForgeNamespace(other, nil)
	for _, object := range []client.Object{
		namespace,
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace.Name, Name: "default"}},
		&liqov1beta1.ForeignCluster{
			ObjectMeta: metav1.ObjectMeta{Name: string(other), Labels: map[string]string{consts.RemoteClusterID: string(other)}},
			Spec:       liqov1beta1.ForeignClusterSpec{ClusterID: other},
		},
	} {
		if err := c.Create(context.Background(), object); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}

// TakesTenantNamespaces makes the tenant namespaces again when the test ends. Its shortcut is that of an imported
// network, whose namespaces go with it.
func (l *Lab) TakesTenantNamespaces(t *testing.T) {
	t.Helper()
	Finally(t, func() error { return WithTenantNamespaces(l) })
}
