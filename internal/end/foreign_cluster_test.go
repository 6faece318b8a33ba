package end

import (
	"testing"

	authv1beta1 "github.com/liqotech/liqo/apis/authentication/v1beta1"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	tenant := &authv1beta1.Tenant{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "rome"},
		Spec:       authv1beta1.TenantSpec{ClusterID: "rome"},
	}
	for name, test := range map[string]struct {
		objects  []client.Object
		expected string
	}{
		"none":           {nil, "no peering"},
		"a network only": {[]client.Object{networked(true)}, "no peering"},
		"a record": {[]client.Object{clustertest.Peering("rome", liqov1beta1.ConsumerRole)},
			`the peering with "rome" (ForeignCluster rome, role Consumer)`},
		"no record of it": {[]client.Object{networked(true), tenant},
			`the peering with "rome" (Tenant liqo-tenant-rome/rome)`},
	} {
		t.Run(name, func(t *testing.T) {
			got := "no peering"
			peering, err := milansEnd(t, test.objects...).LivingPeering(t.Context())
			if peering != nil {
				got = peering.String()
			}
			if err != nil || got != test.expected {
				t.Errorf("%q (%v)", got, err)
			}
		})
	}
}

// romesPeering is the peering of Milan with Rome.
var romesPeering = &Peering{remote: "rome", evidence: "ForeignCluster rome"}

func TestTheForeignClusterIsDeletedUnlessItIsNeeded(t *testing.T) {
	somebodys := romesNamespace(owner.Owner{Token: "another"})
	for name, test := range map[string]struct {
		objects   []client.Object
		namespace *corev1.Namespace // the tenant namespace
		peering   *Peering
		gone      bool
	}{
		"no record":      {nil, nil, nil, true},
		"the record":     {[]client.Object{networked(false)}, nil, nil, true},
		"with a peering": {[]client.Object{networked(false)}, nil, romesPeering, false},
		"of a peering that has come since": {[]client.Object{clustertest.Peering("rome", liqov1beta1.ConsumerRole)},
			nil, nil, false},
		"with a network": {[]client.Object{networked(false), clustertest.Configuration("rome")}, nil,
			nil, false},
		"with someone else's namespace": {[]client.Object{networked(false)}, somebodys, nil, false},
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
