package peerings

import (
	"slices"
	"strings"
	"testing"

	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// peered has the options of a lab in which Europe consumes resources of Rome and Milan, with peerings made by liqoctl.
var peered = []string{
	"--peer=europe=rome", "--peer=europe=milan",
	"--cluster=europe=10.200.0.0/16", "--cluster=rome=10.202.0.0/16", "--cluster=milan=10.203.0.0/16",
}

// webDirect is the address of the shop's Service as one that requests direct connections.
const webDirect = "liqo_direct_service.web"

// shop is a namespace of Europe that is offloaded to Rome and Milan. It has the Service web. Its pods are web-rome and
// web-milan, each in the leaf of its name.
type shop struct{ *acctest.Lab }

// openShop creates the shop, with pods in these leaves, for the duration of the test. It returns when the other leaf
// knows each pod.
func openShop(t *testing.T, l *acctest.Lab, leaves ...string) shop {
	t.Helper()
	s := shop{l}
	l.Have(t, "europe", acctest.NamespaceNamed("shop"))
	l.Liqoctl(t, "europe", "", "offload", "namespace", "shop", "--namespace-mapping-strategy", "EnforceSameName",
		"--pod-offloading-strategy", "Remote")
	t.Cleanup(func() { l.Liqoctl(t, "europe", "", "unoffload", "namespace", "shop") })
	l.Have(t, "europe", acctest.WebService())
	for _, leaf := range leaves {
		s.runs(t, leaf)
	}
	for _, leaf := range leaves {
		s.leads(t, acctest.Other[leaf], "web-"+leaf, centrally)
	}
	return s
}

// runs starts the pod of a leaf for the duration of the test. The scheduler would not choose a virtual node, because
// the lab has no controller that removes the taint of a node that was not ready at first.
func (s shop) runs(t *testing.T, leaf string) {
	t.Helper()
	s.Have(t, "europe", &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-" + leaf, Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{NodeName: leaf, Containers: []corev1.Container{{Name: "web", Image: "any"}}},
	})
}

// directService returns the example of a liqo_direct_service for the shop's Service, which requests direct connections.
// It has only Europe's kubeconfig, and the leaves give Europe only the roles of the examples.
func (s shop) directService(t *testing.T) *acctest.Project {
	t.Helper()
	for _, leaf := range []string{"rome", "milan"} {
		for _, role := range acctest.RolesIn(t, "shortcuts", "central-cluster", "direct-services") {
			s.Have(t, leaf, role)
		}
		s.Have(t, leaf, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "liqo-direct-services-leaf"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "liqo-direct-services-leaf"},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "europe"}},
		})
	}
	p := s.Example(t, "resources/liqo_direct_service")
	p.Remove("import-*.tf")
	p.Set("KUBE_CONFIG_PATH", s.Cluster(t, "europe").Kubeconfig)
	p.Run("init")
	return p
}

// leads returns once the address at which a leaf reaches a pod of another leaf is as expected. An empty name stands for
// any pod.
func (s shop) leads(t *testing.T, leaf, pod string, expected func(address string) bool) {
	t.Helper()
	acctest.AwaitAny(t, s.Lab, leaf, &discoveryv1.EndpointSliceList{}, func(slice *discoveryv1.EndpointSlice) bool {
		return slices.ContainsFunc(slice.Endpoints, func(endpoint discoveryv1.Endpoint) bool {
			named := endpoint.TargetRef != nil && endpoint.TargetRef.Name == pod
			return (named || pod == "") && expected(endpoint.Addresses[0])
		})
	}, client.InNamespace("shop"),
		client.MatchingLabels{consts.ManagedByLabelKey: consts.ManagedByShadowEndpointSliceValue})
}

// annotate lets kubectl set the annotation that requests direct connections, or remove it if the value is null.
func (s shop) annotate(t *testing.T, value string) {
	t.Helper()
	patch := `{"metadata":{"annotations":{"liqo.io/use-direct-connections":` + value + `}}}`
	err := s.Client(t, "europe").Patch(t.Context(), acctest.WebService(),
		client.RawPatch(types.MergePatchType, []byte(patch)), client.FieldOwner("kubectl-annotate"))
	acctest.Must(t, err)
}

// directly and centrally report whether an address is that of a pod of the other leaf, or one of Europe's external
// addresses.
func directly(address string) bool { return strings.HasPrefix(address, "10.20") }

func centrally(address string) bool { return !directly(address) }
