package pair

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// ofMilan reads the Deployment of Milan's gateway.
func ofMilan(t *testing.T, l *acctest.Lab) *appsv1.Deployment {
	t.Helper()
	return acctest.Get[appsv1.Deployment](t, l, "milan", "liqo-tenant-rome", "gw-rome")
}

// annotated fails the test unless the pods of Milan's gateway have these annotations. An empty value stands for a
// missing one.
func annotated(t *testing.T, l *acctest.Lab, expected map[string]string) {
	t.Helper()
	for key, value := range expected {
		if got := ofMilan(t, l).Spec.Template.Annotations[key]; got != value {
			t.Errorf("the pods have %s: %q, expected %q", key, got, value)
		}
	}
}

func TestAccTheSettingsOfAGatewaysPodsChangeInPlace(t *testing.T) {
	u := created(t)
	const one, other = "example.com/one", "example.com/other"
	derived := func(expected int) { // templates on the two leaves
		t.Helper()
		got := 0
		for leaf, kind := range map[string]string{
			"milan": networkingv1beta1.WgGatewayServerTemplateKind, "rome": networkingv1beta1.WgGatewayClientTemplateKind,
		} {
			var list metav1.PartialObjectMetadataList
			list.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(kind + "List"))
			acctest.Must(t, u.lab.Client(t, leaf).List(t.Context(), &list, client.HasLabels{consts.RemoteClusterID}))
			got += len(list.Items)
		}
		if got != expected {
			t.Errorf("there are %d derived templates, expected %d", got, expected)
		}
	}

	t.Log("Settings of the server's pod.")
	u.changes(`server_gateway = {
		service_type = "NodePort"
		pods = {
		  replicas    = 1
		  annotations = { "example.com/one" = "7" }
		  tolerations = [{
			key = "node.kubernetes.io/unreachable", operator = "Exists", effect = "NoExecute", toleration_seconds = 5
		  }]
		}
	}`, nil, nil)
	annotated(t, u.lab, map[string]string{one: "7"})
	derived(1)

	t.Log("Settings of both, and others. Rome's gateway gets its pod when Milan's is ready, to the second.")
	u.changes(`server_gateway = {
		service_type = "NodePort"
		pods         = { annotations = { "example.com/other" = "8" } }
	}
	client_gateway = { pods = { priority_class_name = "system-cluster-critical" } }`, nil, nil)
	annotated(t, u.lab, map[string]string{one: "", other: "8"})
	derived(2)
	server, dialling := u.lab.GatewayPod(t, "milan"), u.lab.GatewayPod(t, "rome")
	for _, condition := range server.Status.Conditions {
		since := condition.LastTransitionTime
		if condition.Type == corev1.PodReady && dialling.CreationTimestamp.Before(&since) {
			t.Errorf("the client's pod is from %s, but the server's is ready since %s", dialling.CreationTimestamp, since)
		}
	}

	u.changes(acctest.OverNodePort, nil, nil)
	annotated(t, u.lab, map[string]string{one: "", other: ""})
	derived(0)
}

func TestAccADerivedTemplateFollowsItsBaseAndIsRepaired(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.CopyTemplate(t, "milan", "my-base")
	edit := func(namespace, name, value string) {
		lab.Patch(t, "milan", acctest.Template("Server", namespace, name),
			`{"spec":{"template":{"spec":{"deployment":{"spec":{"template":{"metadata":`+
				`{"annotations":{"example.com/base":"`+value+`"}}}}}}}}}`)
	}
	p := lab.Applied(t, lab.Between("milan", `server_gateway = {
		service_type = "NodePort"
		template     = { name = "my-base" }
		pods         = { annotations = { "example.com/one" = "7" } }
	}`))
	follows := func(value string) {
		t.Helper()
		p.IsConnected()
		annotated(t, lab, map[string]string{"example.com/base": value, "example.com/one": "7"})
	}
	follows("")
	edit("liqo", "my-base", "new")
	acctest.Says(t, p.Again(), acctest.InPlace)
	follows("new")
	edit("liqo-tenant-rome", "rome", "edited")
	acctest.Says(t, p.Again(), acctest.InPlace)
	follows("new")
	before := ofMilan(t, lab)
	derived := acctest.Template("Server", "liqo-tenant-rome", "rome")
	acctest.Must(t, lab.Client(t, "milan").Delete(t.Context(), derived))
	acctest.Says(t, p.Again(), acctest.InPlace)
	follows("new")
	if after := ofMilan(t, lab); after.Generation != before.Generation {
		t.Errorf("the Deployment has changed from generation %d to %d", before.Generation, after.Generation)
	}
}

// The only node of Milan has room for one pod of each revision of the gateway.
func TestAccAGatewayWithFewerNodesThanReplicasChanges(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	between := func(settings string) string {
		return lab.Between("milan", settings+"\n"+`timeouts = { update = "60s" }`)
	}
	p := lab.Applied(t, between(acctest.OverNodePort))
	for _, change := range []struct{ pods, more, says string }{
		{`{ replicas = 2 }`, "", "No node takes 1 of 2 pods"},
		{`{ replicas = 2, lease_duration = "4s" }`, "", "No node takes 1 of 2 pods"},
		{`{ replicas = 2, lease_duration = "4s" }`, "mtu = 1400", "No node takes 1 of 2 pods"},
		{`{ replicas = 3, lease_duration = "4s" }`, "mtu = 1400", ""}, // the third pod may not be there yet
		{`{ replicas = 3, lease_duration = "5s" }`, "mtu = 1400", "No node takes 2 of 3 pods"},
	} {
		p.Write("main.tf", between(change.more+"\n"+`
			server_gateway = { service_type = "NodePort", pods = `+change.pods+` }`))
		said := p.Again()
		if change.says != "" {
			acctest.Says(t, said, change.says+` of the gateway on leaf "milan"`,
				"The scheduler reports for Pod liqo-tenant-rome/gw-rome-", "0/1 nodes are available: 1 node(s) didn't match pod")
		}
	}
}
