package end

import (
	"testing"

	authv1beta1 "github.com/liqotech/liqo/apis/authentication/v1beta1"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// networked is Milan's ForeignCluster of Rome without a peering. With enabled, Liqo has not noticed yet that the
// network is gone.
func networked(enabled bool) *liqov1beta1.ForeignCluster {
	foreign := clustertest.Peering("rome", liqov1beta1.UnknownRole)
	foreign.Status.Modules = liqov1beta1.Modules{Networking: liqov1beta1.Module{Enabled: enabled}}
	return foreign
}

func TestAPeeringIsNamedByItsRecordOrElseByItsObjects(t *testing.T) {
	part := metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "part"}
	labelled := *part.DeepCopy()
	labelled.Labels = map[string]string{"liqo.io/remote-cluster-id": "rome"}
	slice := func(consumer, provider liqov1beta1.ClusterID) client.Object {
		spec := authv1beta1.ResourceSliceSpec{ConsumerClusterID: &consumer, ProviderClusterID: &provider}
		return &authv1beta1.ResourceSlice{ObjectMeta: part, Spec: spec}
	}
	tenant := func(of liqov1beta1.ClusterID) client.Object {
		return &authv1beta1.Tenant{ObjectMeta: part, Spec: authv1beta1.TenantSpec{ClusterID: of}}
	}
	identity := &authv1beta1.Identity{ObjectMeta: part, Spec: authv1beta1.IdentitySpec{ClusterID: "rome"}}
	for name, test := range map[string]struct {
		object   client.Object
		expected string // what shows the peering
	}{
		"a network only":                  {networked(true), ""},
		"a record":                        {clustertest.Peering("rome", "Consumer"), "ForeignCluster rome, role Consumer"},
		"a Tenant":                        {tenant("rome"), "Tenant liqo-tenant-rome/part"},
		"a Tenant by its label":           {&authv1beta1.Tenant{ObjectMeta: labelled}, "Tenant liqo-tenant-rome/part"},
		"a Tenant of another cluster":     {tenant("turin"), ""},
		"an Identity":                     {identity, "Identity liqo-tenant-rome/part"},
		"a ResourceSlice of the consumer": {slice("rome", "milan"), "ResourceSlice liqo-tenant-rome/part"},
		"a ResourceSlice of the provider": {slice("milan", "rome"), "ResourceSlice liqo-tenant-rome/part"},
		"a ResourceSlice of another":      {slice("turin", "milan"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			expected, got := "no peering", "no peering"
			if test.expected != "" {
				expected = `the peering with "rome" (` + test.expected + ")"
			}
			peering, err := milansEnd(t, test.object).LivingPeering(t.Context())
			if peering != nil {
				got = peering.String()
			}
			if err != nil || got != expected {
				t.Errorf("%q (%v)", got, err)
			}
		})
	}
}

func TestALeafWithoutAuthenticationKindsHasNoPeeringAndAnUnreadableOneMayHaveOne(t *testing.T) {
	kinds := schema.GroupResource{Group: "authentication.liqo.io", Resource: "tenants"}
	for answer, certain := range map[error]bool{
		apierrors.NewNotFound(kinds, ""): true, apierrors.NewForbidden(kinds, "", nil): false,
	} {
		t.Run(answer.Error(), func(t *testing.T) {
			milan := milansEnd(t)
			clustertest.Fail[*authv1beta1.TenantList](milan.Leaf, "list", answer)
			if peering, err := milan.LivingPeering(t.Context()); peering != nil || (err == nil) != certain {
				t.Errorf("got %v (%v)", peering, err)
			}
		})
	}
}

// romesPeering is the peering of Milan with Rome.
var romesPeering = &Peering{remote: "rome", evidence: "ForeignCluster rome"}

func TestTheForeignClusterIsDeletedUnlessItIsNeeded(t *testing.T) {
	somebodys, unused := romesNamespace(owner.Owner{Token: "another"}), networked(false)
	elsewhere := clustertest.Configuration("rome")
	elsewhere.Namespace = "elsewhere"
	for name, test := range map[string]struct {
		objects   []client.Object
		namespace *corev1.Namespace // the tenant namespace
		peering   *Peering
		gone      bool
	}{
		"no record":                        {nil, nil, nil, true},
		"the record":                       {[]client.Object{unused}, nil, nil, true},
		"with a peering":                   {[]client.Object{unused}, nil, romesPeering, false},
		"of a peering that has come since": {[]client.Object{clustertest.Peering("rome", "Consumer")}, nil, nil, false},
		"with a network":                   {[]client.Object{unused, clustertest.Configuration("rome")}, nil, nil, false},
		"with a network elsewhere":         {[]client.Object{unused, elsewhere}, nil, nil, false},
		"with someone else's namespace":    {[]client.Object{unused}, somebodys, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			milan := milansEnd(t, test.objects...)
			milan.Owner = me
			gone, err := milan.RemoveForeignCluster(t.Context(), test.namespace, test.peering)
			if err != nil || gone != test.gone {
				t.Errorf("gone: %t (%v)", gone, err)
			}
			if left, err := milan.HasUnusedForeignCluster(t.Context()); err != nil || (left && gone) {
				t.Errorf("it is left (%v)", err)
			}
		})
	}
}
