package shortcut

import (
	"context"
	"strings"
	"testing"

	authv1beta1 "github.com/liqotech/liqo/apis/authentication/v1beta1"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// withConfiguration is a leaf that holds our Configuration and tenant namespace for Rome, and this.
func withConfiguration(t *testing.T, more ...client.Object) *cluster.Leaf {
	t.Helper()
	return clustertest.Leaf(t, "milan", append(more, ours(theirs("rome")), romesNamespace(Owner{}))...)
}

func TestAPeeringIsKnownByAnyOfItsParts(t *testing.T) {
	meta := metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "part"}
	labelled := metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "part", Labels: map[string]string{"liqo.io/remote-cluster-id": "rome"}}
	rome, turin := ptr.To(liqov1beta1.ClusterID("rome")), ptr.To(liqov1beta1.ClusterID("turin"))
	for name, test := range map[string]struct {
		part  client.Object
		named string // in the refusal; empty where the network is removed
	}{
		"a Tenant":                        {&authv1beta1.Tenant{ObjectMeta: meta, Spec: authv1beta1.TenantSpec{ClusterID: "rome"}}, "Tenant liqo-tenant-rome/part"},
		"a Tenant by its label":           {&authv1beta1.Tenant{ObjectMeta: labelled}, "Tenant liqo-tenant-rome/part"},
		"an Identity":                     {&authv1beta1.Identity{ObjectMeta: meta, Spec: authv1beta1.IdentitySpec{ClusterID: "rome"}}, "Identity liqo-tenant-rome/part"},
		"a ResourceSlice of the consumer": {&authv1beta1.ResourceSlice{ObjectMeta: meta, Spec: authv1beta1.ResourceSliceSpec{ConsumerClusterID: rome}}, "ResourceSlice liqo-tenant-rome/part"},
		"a ResourceSlice of the provider": {&authv1beta1.ResourceSlice{ObjectMeta: meta, Spec: authv1beta1.ResourceSliceSpec{ProviderClusterID: rome}}, "ResourceSlice liqo-tenant-rome/part"},
		"a Tenant of another cluster":     {&authv1beta1.Tenant{ObjectMeta: meta, Spec: authv1beta1.TenantSpec{ClusterID: "turin"}}, ""},
		"a ResourceSlice of another":      {&authv1beta1.ResourceSlice{ObjectMeta: meta, Spec: authv1beta1.ResourceSliceSpec{ConsumerClusterID: turin}}, ""},
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
			if err == nil || !strings.Contains(err.Error(), `the peering with "rome" (`+test.named+`). Nothing was removed.`) {
				t.Errorf("got: %v", err)
			}
			var kept []Kept
			removal := Removal{EvenFromPeering: true, Kept: func(k Kept) { kept = append(kept, k) }}
			if err := shortcut.Disconnect(t.Context(), removal); err != nil {
				t.Fatal(err)
			}
			if len(kept) != 1 || !strings.HasPrefix(kept[0].Why, `There is still the peering with "rome" (`+test.named+`). So Namespace liqo-tenant-rome stays, too`) {
				t.Errorf("kept is %v", kept)
			}
			if namespace, err := shortcut.server.tenantNamespace(t.Context()); err != nil || namespace == nil {
				t.Errorf("the peering has lost its tenant namespace (%v)", err)
			}
		})
	}
}

func TestALeafThatDoesNotAuthenticateHasNoPeeringAndOneThatDoesNotSayMayHaveOne(t *testing.T) {
	kinds := schema.GroupResource{Group: "authentication.liqo.io", Resource: "tenants"}
	for name, test := range map[string]struct {
		answer error
		goes   bool
	}{
		"kinds that it does not know": {apierrors.NewNotFound(kinds, ""), true},
		"kinds that may not be read":  {apierrors.NewForbidden(kinds, "", nil), false},
	} {
		milan := withConfiguration(t)
		milan.Live = interceptor.NewClient(milan.Live, interceptor.Funcs{
			List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
				if _, ok := list.(*authv1beta1.TenantList); ok {
					return test.answer
				}
				return c.List(ctx, list, options...)
			},
		})
		shortcut := New(clustertest.Leaf(t, "rome"), milan)
		if err := shortcut.Disconnect(t.Context(), Removal{}); (err == nil) != test.goes {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := shortcut.server.find(t.Context()); err != nil || (left.configuration == nil) != test.goes {
			t.Errorf("%s: left is %v (%v)", name, left.configuration, err)
		}
	}
}
