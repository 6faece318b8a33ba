package peerings

import (
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

const webDirect = "liqo_direct_service.web"

// topologyOfServices shows the Services of each edge.
const topologyOfServices = `
	data "liqo_topology" "all" {
	  depends_on = [liqo_direct_service.web]
	}
	output "topology" {
	  value = [for e in data.liqo_topology.all.edges : format("%s %s-%s: %s", e.kind, e.from, e.to,
	    length(e.services) == 0 ? "none" : join(" ", [for s in e.services : "${s.cluster}/${s.namespace}/${s.name}"]))]
	}`

// The example of a liqo_direct_service goes through its life. Only Europe's kubeconfig is used, and the leaves give
// Europe only the roles of the examples.
func TestAccPodsBehindAServiceMeetOverTheShortcutWhileTheServiceRequestsIt(t *testing.T) {
	l := acctest.Borrow(t, peered)
	for _, leaf := range []string{"rome", "milan"} {
		for _, file := range []string{"shortcuts", "central-cluster", "direct-services"} {
			for _, object := range acctest.ObjectsIn(t, fmt.Sprintf(acctest.Root+"/examples/rbac/%s.yaml", file)) {
				l.Have(t, leaf, object)
			}
		}
		l.Have(t, leaf, bound("liqo-direct-services-leaf", "europe"))
	}
	s := openShop(t, l, "rome", "milan")
	t.Run("each right of the example of roles is needed", s.needsEveryRight)
	p := l.Example(t, "resources/liqo_direct_service")
	p.Remove("import-*.tf")
	p.Set("KUBE_CONFIG_PATH", l.Cluster(t, "europe").Kubeconfig)
	p.Run("init")
	p.Write("topology.tf", topologyOfServices)
	example := p.Read("resource.tf")

	t.Run("a plan does not warn of a network that it creates", func(t *testing.T) {
		acctest.DoesNotSay(t, p.Run("plan"), "can't use direct connections")
	})
	t.Run("a plan warns of a leaf that forbids direct connections", func(t *testing.T) {
		s.forbids(t, "rome", func() {
			acctest.Says(t, p.Run("plan"), `Leaf "rome" can't use direct connections`, "`networking.denyDirectConnections`",
				`"rome" reaches none of these pods, not even through the central cluster`)
		})
	})
	t.Run("without a network, the leaves stay with Europe, and a plan says why", func(t *testing.T) {
		p.T = t
		p.ReplaceIn("resource.tf", `resource "liqo_shortcut" "rome_milan" {`, `resource "liqo_shortcut" "rome_milan" {
			count = 0`)
		acctest.Says(t, p.Run("apply", "-auto-approve"), `Warning: Leaf "rome" can't use direct connections`,
			`Leaves "rome" and "milan" have no network`, "Connect them with a liqo_shortcut",
			"1 added, 0 changed, 0 destroyed")
		acctest.Says(t, p.Run("state", "show", webDirect), `status = "Partial"`, `path = "central"`, `path = "local"`)
		s.leads(t, "rome", "web-milan", centrally)
	})
	t.Run("the apply that creates the network leads the pods over it", func(t *testing.T) {
		p.T = t
		p.Write("resource.tf", example)
		acctest.Says(t, p.Run("apply", "-auto-approve"), "1 added, 1 changed, 0 destroyed", "detours = []")
		acctest.Says(t, p.Run("state", "show", webDirect), `status = "Direct"`, `path = "direct"`)
		s.leads(t, "rome", "web-milan", directly)
		s.leads(t, "milan", "web-rome", directly)
		p.Run("plan", "-detailed-exitcode")
		acctest.Says(t, p.Run("output", "topology"), `shortcut rome-milan: europe/shop/web`, `peering europe-milan: none`)
		if all := s.annotations(t); len(all) != 2 || all["team"] != "shop" {
			t.Errorf("the Service has the annotations %v", all)
		}
	})
	t.Run("an annotation that someone removed is set again", func(t *testing.T) {
		p.T = t
		s.annotate(t, "null")
		s.leads(t, "rome", "web-milan", centrally)
		acctest.Says(t, p.Run("apply", "-auto-approve"), `status = "Undone" -> (known after apply)`,
			"0 added, 1 changed, 0 destroyed")
		s.leads(t, "rome", "web-milan", directly)
	})
	t.Run("an annotation that someone else set stays on destroy", func(t *testing.T) {
		p.T = t
		s.annotate(t, "null")
		s.annotate(t, `"true"`) // Kubernetes records who changes a value
		acctest.Says(
			t,
			p.Run("destroy", "-auto-approve", "-target", webDirect),
			"Warning: The Service still requests direct "+
				"connections",
			`because it was also set by "kubectl-annotate"`,
		)
		s.leads(t, "rome", "web-milan", directly)
	})
	t.Run("a create says that someone else has set it", func(t *testing.T) {
		p.T = t
		acctest.Says(t, p.Run("apply", "-auto-approve"), "Warning: Someone else requests direct connections, too",
			"import it")
		p.Run("state", "rm", webDirect)
	})
	t.Run("an import takes it over, and a destroy removes it", func(t *testing.T) {
		p.T = t
		p.Run("import", webDirect, "europe/shop/web")
		p.Run("plan", "-detailed-exitcode")
		acctest.DoesNotSay(t, p.Run("destroy", "-auto-approve", "-target", webDirect), "still requests")
		if all := s.annotations(t); len(all) != 1 {
			t.Errorf("the Service has the annotations %v", all)
		}
		s.leads(t, "rome", "web-milan", centrally)
		s.leads(t, "milan", "web-rome", centrally)
		acctest.Says(t, p.Refused("import", webDirect, "europe/shop/web"), "does not request direct connections")
	})

	// Without depends_on, the network goes first.
	p.ReplaceIn("resource.tf", "depends_on = [liqo_shortcut.rome_milan]", "")
	p.ReplaceIn("resource.tf", `resource "liqo_shortcut" "rome_milan" {`, `resource "liqo_shortcut" "rome_milan" {
		count = 0`)
	parted := p.Read("resource.tf")
	isLost := func(t *testing.T) {
		t.Helper()
		p.Write("resource.tf", example)
		p.Run("apply", "-auto-approve")
		s.leads(t, "rome", "web-milan", directly)
		p.Write("resource.tf", parted)
		p.Run("apply", "-auto-approve")
		s.leads(t, "rome", "web-milan", directly)
	}
	isRepaired := func(t *testing.T) {
		t.Helper()
		acctest.Says(t, p.Run("apply", "-auto-approve"), `status = "Outdated" -> (known after apply)`,
			"so packets are lost", "0 added, 1 changed, 0 destroyed")
		s.leads(t, "rome", "web-milan", centrally)
		acctest.Says(t, p.Run("state", "show", webDirect), `status = "Partial"`)
	}
	t.Run("addresses of a network that was removed first are lost until an apply may renew the annotation", func(
		t *testing.T,
	) {
		p.T = t
		isLost(t)
		s.applied(t, "argocd-controller", "true")
		acctest.Says(t, p.Refused("apply", "-auto-approve"), "Error: Service shop/web can't be renewed",
			`"argocd-controller" applies the annotation, too`)
		s.applied(t, "argocd-controller", "")
		isRepaired(t)
	})
	t.Run("also if someone else has set the annotation, too, and keeps it", func(t *testing.T) {
		p.T = t
		s.annotate(t, "null")
		s.annotate(t, `"true"`)
		isLost(t)
		isRepaired(t)
		acctest.Says(t, p.Run("destroy", "-auto-approve", "-target", webDirect),
			`because it was also set by "kubectl-annotate"`)
		p.Run("import", webDirect, "europe/shop/web")
	})
	p.T = t
	p.Write("resource.tf", example)

	t.Run("a Service that was deleted leaves the state, and must exist again", func(t *testing.T) {
		p.T = t
		if err := acctest.DeleteAndWait(t.Context(), s.Administrator(t, "europe"), acctest.WebService()); err != nil {
			t.Fatal(err)
		}
		acctest.Says(t, p.Run("plan"), "liqo_direct_service.web will be created",
			"Warning: Service shop/web does not exist yet")
		acctest.Says(t, p.Refused("apply", "-auto-approve"), `Error: Service shop/web does not exist on leaf "europe"`,
			"add `depends_on`")
		acctest.DoesNotSay(t, p.Run("state", "list"), webDirect)
	})
}

// applied lets someone else apply the annotation, or stop to do so.
func (s shop) applied(t *testing.T, who, value string) {
	t.Helper()
	service := &unstructured.Unstructured{}
	service.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Service"))
	service.SetNamespace(acctest.WebService().Namespace)
	service.SetName(acctest.WebService().Name)
	if value != "" {
		service.SetAnnotations(map[string]string{"liqo.io/use-direct-connections": value})
	}
	if err := s.Client(t, "europe").Apply(t.Context(), client.ApplyConfigurationFromUnstructured(service),
		client.FieldOwner(who)); err != nil {
		t.Fatal(err)
	}
}

// forbids lets Liqo's Deployment in a leaf say that it forbids direct connections while do runs.
func (s shop) forbids(t *testing.T, leaf string, do func()) {
	t.Helper()
	c := s.Client(t, leaf)
	var deployment appsv1.Deployment
	name := client.ObjectKey{Namespace: "liqo", Name: "liqo-controller-manager"}
	if err := c.Get(t.Context(), name, &deployment); err != nil {
		t.Fatal(err)
	}
	allowing := deployment.DeepCopy()
	container := &deployment.Spec.Template.Spec.Containers[0]
	container.Args = append(container.Args, "--deny-direct-connections")
	deployment.Spec.Paused = true // a rollout would leave a ReplicaSet behind
	if err := c.Patch(t.Context(), &deployment, client.MergeFrom(allowing)); err != nil {
		t.Fatal(err)
	}
	do()
	forbidding := deployment.DeepCopy()
	deployment.Spec = allowing.Spec
	if err := c.Patch(t.Context(), &deployment, client.MergeFrom(forbidding)); err != nil {
		t.Fatal(err)
	}
}

// bound is a binding of a ClusterRole to a user.
func bound(role, user string) client.Object {
	return &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}
}
