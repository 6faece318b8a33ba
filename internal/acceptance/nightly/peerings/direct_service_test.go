package peerings

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// The example of a liqo_direct_service goes through its life. Only Europe's kubeconfig is used.
func TestAccPodsBehindAServiceMeetOverTheShortcutWhileTheServiceRequestsIt(t *testing.T) {
	l := acctest.Borrow(t, peered)
	s := openShop(t, l, "rome", "milan")
	p := s.directService(t)
	example := p.Read("resource.tf")
	p.Write("topology.tf", `
		data "liqo_topology" "all" {
		  depends_on = [liqo_direct_service.web]
		}
		output "services" {
		  value = [for e in data.liqo_topology.all.edges : format("%s %s-%s: %s", e.kind, e.from, e.to,
		    length(e.services) == 0 ? "none" : join(" ", [for s in e.services : "${s.cluster}/${s.namespace}/${s.name}"]))]
		}`)
	annotations := func() map[string]string {
		t.Helper()
		return acctest.Get[corev1.Service](t, l, "europe", "shop", "web").Annotations
	}

	t.Log("A plan does not warn of a network that it creates.")
	acctest.DoesNotSay(t, p.Run("plan"), "can't use direct connections")

	t.Log("A plan warns of a leaf that forbids direct connections.")
	settings := func(patch string) { // of Liqo in Rome, as its Deployment says; a rollout would leave a ReplicaSet behind
		deployment := acctest.Named(&appsv1.Deployment{}, "liqo", "liqo-controller-manager")
		err := l.Client(t, "rome").Patch(t.Context(), deployment, client.RawPatch(types.JSONPatchType, []byte(patch)))
		acctest.Must(t, err)
	}
	const first = "/spec/template/spec/containers/0/args/0"
	settings(`[{"op": "add", "path": "/spec/paused", "value": true},
		{"op": "add", "path": "` + first + `", "value": "--deny-direct-connections"}]`)
	acctest.Says(t, p.Run("plan"), `Leaf "rome" can't use direct connections`, "`networking.denyDirectConnections`",
		`"rome" reaches none of these pods, not even through the central cluster`)
	settings(`[{"op": "remove", "path": "` + first + `"}, {"op": "remove", "path": "/spec/paused"}]`)

	t.Log("Without a network, the leaves stay with Europe, and a plan says why.")
	p.ReplaceIn("resource.tf", `resource "liqo_shortcut" "rome_milan" {`, `resource "liqo_shortcut" "rome_milan" {
		count = 0`)
	acctest.Says(t, p.Run("apply", "-auto-approve"), `Warning: Leaf "rome" can't use direct connections`,
		`Leaves "rome" and "milan" have no network`, "Connect them with a liqo_shortcut", acctest.Created)
	acctest.Says(t, p.Run("state", "show", webDirect), `status = "Partial"`, `path = "Central"`, `path = "Local"`)
	s.leads(t, "rome", "web-milan", centrally)

	t.Log("The apply that creates the network leads the pods over it.")
	p.Write("resource.tf", example)
	acctest.Says(t, p.Run("apply", "-auto-approve"), "1 added, 1 changed, 0 destroyed", "detours = []")
	acctest.Says(t, p.Run("state", "show", webDirect), `status = "Direct"`, `path = "Direct"`)
	s.leads(t, "rome", "web-milan", directly)
	s.leads(t, "milan", "web-rome", directly)
	p.Unchanged()
	acctest.Says(t, p.Run("output", "services"), `shortcut rome-milan: europe/shop/web`, `peering europe-milan: none`)
	if all := annotations(); len(all) != 2 || all["team"] != "shop" {
		t.Errorf("the Service has the annotations %v", all)
	}

	t.Log("An annotation that someone removed is set again.")
	s.annotate(t, "null")
	s.leads(t, "rome", "web-milan", centrally)
	acctest.Says(t, p.Run("apply", "-auto-approve"), `status = "Undone" -> (known after apply)`, acctest.InPlace)
	s.leads(t, "rome", "web-milan", directly)

	t.Log("An annotation that someone else set stays on destroy.")
	s.annotate(t, "null")
	s.annotate(t, `"true"`) // Kubernetes records who changes a value
	acctest.Says(t, p.Run("destroy", "-auto-approve", "-target", webDirect),
		"Warning: The Service still requests direct connections", `because it was also set by "kubectl-annotate"`)
	s.leads(t, "rome", "web-milan", directly)

	t.Log("A create says that someone else has set it.")
	acctest.Says(t, p.Run("apply", "-auto-approve"), "Warning: Another user requests direct connections, too",
		"import it")
	p.Run("state", "rm", webDirect)

	t.Log("An import takes it over, and a destroy removes it.")
	p.Run("import", webDirect, "europe/shop/web")
	p.Unchanged()
	acctest.DoesNotSay(t, p.Run("destroy", "-auto-approve", "-target", webDirect), "still requests")
	if all := annotations(); len(all) != 1 {
		t.Errorf("the Service has the annotations %v", all)
	}
	s.leads(t, "rome", "web-milan", centrally)
	s.leads(t, "milan", "web-rome", centrally)
	acctest.Says(t, p.Refused("import", webDirect, "europe/shop/web"), "does not request direct connections")
}

// The Service keeps addresses of the network, so packets are lost.
func TestAccPodsBehindAServiceMeetThroughTheCentreAgainAfterTheirNetworkWasRemovedFirst(t *testing.T) {
	l := acctest.Borrow(t, peered)
	s := openShop(t, l, "rome", "milan")
	p := s.directService(t)
	example := p.Read("resource.tf")
	applied := func(who, value string) { // lets someone else apply the annotation, or stop to do so
		service := acctest.Named(&unstructured.Unstructured{}, "shop", "web")
		service.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Service"))
		if value != "" {
			service.SetAnnotations(map[string]string{"liqo.io/use-direct-connections": value})
		}
		err := l.Client(t, "europe").Apply(
			t.Context(), client.ApplyConfigurationFromUnstructured(service), client.FieldOwner(who))
		acctest.Must(t, err)
	}
	// Without depends_on, the network goes first.
	p.ReplaceIn("resource.tf", "depends_on = [liqo_shortcut.rome_milan]", "")
	p.ReplaceIn("resource.tf", `resource "liqo_shortcut" "rome_milan" {`, `resource "liqo_shortcut" "rome_milan" {
		count = 0`)
	parted := p.Read("resource.tf")
	isLost := func() {
		t.Helper()
		p.Write("resource.tf", example)
		p.Run("apply", "-auto-approve")
		s.leads(t, "rome", "web-milan", directly)
		p.Write("resource.tf", parted)
		p.Run("apply", "-auto-approve")
		s.leads(t, "rome", "web-milan", directly)
	}
	isRepaired := func() {
		t.Helper()
		acctest.Says(t, p.Run("apply", "-auto-approve"), `status = "Outdated" -> (known after apply)`,
			"so packets are lost", acctest.InPlace)
		s.leads(t, "rome", "web-milan", centrally)
		acctest.Says(t, p.Run("state", "show", webDirect), `status = "Partial"`)
	}

	t.Log("An apply renews the annotation if it may.")
	isLost()
	applied("argocd-controller", "true")
	acctest.Says(t, p.Refused("apply", "-auto-approve"), "Error: Service shop/web can't be renewed",
		`"argocd-controller" applies the annotation, too`)
	applied("argocd-controller", "")
	isRepaired()

	t.Log("It does so also if someone else has set the annotation, too, and keeps it.")
	s.annotate(t, "null")
	s.annotate(t, `"true"`)
	isLost()
	isRepaired()
	acctest.Says(t, p.Run("destroy", "-auto-approve", "-target", webDirect),
		`because it was also set by "kubectl-annotate"`)
	p.Run("import", webDirect, "europe/shop/web")

	t.Log("A Service that was deleted leaves the state, and must exist again.")
	p.Write("resource.tf", example)
	acctest.Must(t, acctest.DeleteAndWait(t.Context(), l.Client(t, "europe"), acctest.WebService()))
	acctest.Says(t, p.Run("plan"), "liqo_direct_service.web will be created",
		"Warning: Service shop/web does not exist yet")
	acctest.Says(t, p.Refused("apply", "-auto-approve"), `Error: Service shop/web does not exist on leaf "europe"`,
		"add `depends_on`")
	acctest.DoesNotSay(t, p.Run("state", "list"), webDirect)
}
