package rights

import (
	"strings"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/apis/networking/v1beta1/firewall"
	"github.com/liqotech/liqo/pkg/consts"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Somebody with Terraform's token tries everything that is not its business on a leaf that is peered with Europe. The
// namespace elsewhere is one of applications.
func TestAccTheRightsOfTheExamplesOfRolesEndAtNetworks(t *testing.T) {
	const (
		notInRole    = `User "system:serviceaccount:liqo:terraform" cannot`
		notNetwork   = acctest.NotNetwork
		notForReal   = "Terraform may create a Service only as a dry run"
		notToRun     = "Terraform may create or change a Deployment only as a dry run"
		notItsRoutes = "Terraform may not change routes"
		notItsRules  = "Terraform may change only what crosses the gateways of networks"
		notItsRecord = "Terraform may not change Liqo's record of this cluster"
		notItsLease  = "Terraform may change only Leases whose names begin with terraform-provider-liqo"

		europe, naples, elsewhere = "liqo-tenant-europe", "liqo-tenant-naples", "elsewhere"
		// It makes a tenant namespace of Naples, or an object of its network, from another one.
		toNaples = `{"metadata":{"labels":{"` + consts.TenantNamespaceLabel + `":"true","` +
			consts.RemoteClusterID + `":"naples"}}}`
	)
	onEachKubernetes(t, func(t *testing.T, l *acctest.Lab) {
		t.Helper()
		for _, leaf := range []string{"rome", "milan"} {
			l.Limit(t, leaf)
			ctx := t.Context()
			roles := acctest.RolesIn(t, "shortcuts", "key-rotation", "allowed-traffic", "pods")
			terraform, err := client.New(
				l.ReachedAs(t, leaf, "terraform", roles).Config(), client.Options{Scheme: cluster.NewScheme()})
			acctest.Must(t, err)
			tenant := func(id string) *corev1.Namespace {
				return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "liqo-tenant-" + id, Labels: map[string]string{
					consts.TenantNamespaceLabel: "true", consts.RemoteClusterID: id,
				}}}
			}
			at := func(namespace, name string) metav1.ObjectMeta {
				return metav1.ObjectMeta{Namespace: namespace, Name: name}
			}
			web := acctest.Named(acctest.WebService(), elsewhere, "web")
			election := &coordinationv1.Lease{ObjectMeta: at("liqo", "election")}
			record := &liqov1beta1.ForeignCluster{
				ObjectMeta: metav1.ObjectMeta{Name: "europe", Labels: map[string]string{consts.RemoteClusterID: "europe"}},
				Spec:       liqov1beta1.ForeignClusterSpec{ClusterID: "europe"},
			}
			for _, object := range []client.Object{
				tenant("europe"), tenant("naples"), acctest.NamespaceNamed(elsewhere), web, election, record,
				&corev1.Pod{ObjectMeta: at(elsewhere, "web"), Spec: corev1.PodSpec{
					Containers:      []corev1.Container{{Name: "web", Image: "any"}},
					SchedulingGates: []corev1.PodSchedulingGate{{Name: "example.com/never"}},
				}},
				&corev1.Secret{ObjectMeta: at(elsewhere, "password")}, &corev1.Secret{ObjectMeta: at(elsewhere, "gw-milan")},
				&networkingv1beta1.PublicKey{ObjectMeta: at(elsewhere, "public")},
			} {
				l.Have(t, leaf, object)
			}
			for _, namespace := range []string{elsewhere, naples} {
				l.Have(t, leaf, &networkingv1beta1.RouteConfiguration{
					ObjectMeta: at(namespace, "milan-node-gw"),
					Spec: networkingv1beta1.RouteConfigurationSpec{Table: networkingv1beta1.Table{
						Name: "of-" + namespace, Rules: []networkingv1beta1.Rule{{Routes: []networkingv1beta1.Route{}}},
					}},
				})
			}
			create := func(object client.Object) error { return terraform.Create(ctx, object) }
			remove := func(object client.Object) error { return terraform.Delete(ctx, object) }
			patch := func(object client.Object, namespace, name, patch string) error {
				merged := client.RawPatch(types.MergePatchType, []byte(patch))
				return terraform.Patch(ctx, acctest.Named(object, namespace, name), merged)
			}
			otherService := func(namespace string) client.Object {
				return &corev1.Service{ObjectMeta: at(namespace, "other"), Spec: acctest.WebService().Spec}
			}
			filter := func(labels map[string]string) error { // of Naples' network
				name, family := "other", firewall.TableFamilyIPv4
				object := &networkingv1beta1.FirewallConfiguration{ObjectMeta: at(naples, name)}
				object.Spec.Table = firewall.Table{Name: &name, Family: &family, Chains: []firewall.Chain{}}
				object.Labels = labels
				return create(object)
			}
			runPods := func(namespace string) error {
				return create(acctest.Deployment(namespace, "other", map[string]string{"app": "other"},
					corev1.PodSpec{Containers: []corev1.Container{{Name: "other", Image: "any"}}}))
			}
			const category, unique = "networking.liqo.io/firewall-category", "networking.liqo.io/firewall-unique"
			election.Spec.HolderIdentity = new("other")

			isRefused := func(to, says string, err error) {
				t.Helper()
				if err == nil || !strings.Contains(err.Error(), says) {
					t.Errorf("an attempt on %s to %s has the result: %v", leaf, to, err)
				}
			}
			for to, change := range map[string]string{
				"make an application's Service lead to other pods": `{"spec":{"selector":{"app":"other"}}}`,
				"let a Service take the traffic of an address":     `{"spec":{"externalIPs":["198.51.100.1"]}}`,
				"set any annotation of a Service":                  `{"metadata":{"annotations":{"load-balancer":"public"}}}`,
				"remove an annotation of a Service":                `{"metadata":{"annotations":{"team":null}}}`,
				"set a label of a Service":                         `{"metadata":{"labels":{"app":"other"}}}`,
			} {
				isRefused(to, notNetwork, patch(&corev1.Service{}, elsewhere, "web", change))
			}
			isRefused("create a Service in a network's namespace", notForReal, create(otherService(naples)))
			isRefused("create a Service elsewhere", notNetwork, create(otherService(elsewhere)))
			isRefused("run pods in a network's namespace", notToRun, runPods(naples))
			isRefused("run pods elsewhere", notNetwork, runPods(elsewhere))
			isRefused("delete a Service", notInRole, remove(&corev1.Service{ObjectMeta: at(elsewhere, "web")}))
			isRefused("delete a pod", notNetwork, remove(&corev1.Pod{ObjectMeta: at(elsewhere, "web")}))
			isRefused("change a namespace", notNetwork, patch(&corev1.Namespace{}, "", elsewhere, toNaples))
			isRefused("delete a namespace", notNetwork, remove(acctest.NamespaceNamed(elsewhere)))
			isRefused("delete a peering", notNetwork, remove(acctest.NamespaceNamed(europe)))
			isRefused("create any namespace", notNetwork, create(acctest.NamespaceNamed("another")))
			isRefused("take over a peering", notNetwork, patch(&corev1.Namespace{}, "", europe, toNaples))
			isRefused("delete Liqo's record", notItsRecord, remove(record))
			isRefused("read a Secret", notInRole,
				terraform.Get(ctx, client.ObjectKey{Namespace: elsewhere, Name: "password"}, &corev1.Secret{}))
			isRefused("list Secrets", notInRole, terraform.List(ctx, &corev1.SecretList{}))
			isRefused("write another's keys", notNetwork,
				patch(&corev1.Secret{}, elsewhere, "gw-milan", `{"data":{"privateKey":""}}`))
			isRefused("list ConfigMaps", notInRole, terraform.List(ctx, &corev1.ConfigMapList{}))
			isRefused("renew all routes", notInRole, patch(&networkingv1beta1.RouteConfiguration{}, elsewhere, "other", `{}`))
			isRefused("renew another's routes", notNetwork,
				patch(&networkingv1beta1.RouteConfiguration{}, elsewhere, "milan-node-gw", toNaples))
			isRefused("let the routes of a network lead elsewhere", notItsRoutes,
				patch(&networkingv1beta1.RouteConfiguration{}, naples, "milan-node-gw", `{"spec":{"table":{"name":"other"}}}`))
			isRefused("let nodes drop packets", notItsRules, filter(map[string]string{category: "fabric", unique: "naples"}))
			isRefused("let all gateways drop packets", notItsRules, filter(map[string]string{category: "gateway"}))
			isRefused("limit what may cross a peering", notItsRules,
				filter(map[string]string{category: "gateway", unique: "europe"}))
			isRefused("create a network elsewhere", notNetwork,
				create(&networkingv1beta1.PublicKey{ObjectMeta: at(elsewhere, "other")}))
			isRefused("create a network in a peering", notNetwork,
				create(&networkingv1beta1.PublicKey{ObjectMeta: at(europe, "other")}))
			isRefused("change a network elsewhere", notNetwork,
				patch(&networkingv1beta1.PublicKey{}, elsewhere, "public", toNaples))
			isRefused("delete a network elsewhere", notNetwork,
				remove(&networkingv1beta1.PublicKey{ObjectMeta: at(elsewhere, "public")}))
			isRefused("take the Lease of Liqo's controllers", notItsLease, terraform.Update(ctx, election))
			isRefused("delete a Lease", notItsLease, remove(election))
			isRefused("create any Lease", notItsLease, create(&coordinationv1.Lease{ObjectMeta: at("liqo", "other")}))
			isRefused("create a Lease elsewhere", notInRole,
				create(&coordinationv1.Lease{ObjectMeta: at(elsewhere, "terraform-provider-liqo.a.b")}))
			const directly = `{"metadata":{"annotations":{"` + consts.UseDirectConnectionAnnotationKey + `":"true"}}}`
			if err := patch(&corev1.Service{}, elsewhere, "web", directly); err != nil {
				t.Errorf("a request on %s for direct connections is refused: %v", leaf, err)
			}
		}
	})
}
