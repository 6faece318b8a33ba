package peerings

import (
	"fmt"
	"strings"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// deploys starts a Deployment whose pod Europe offloads to a leaf. It returns when the virtual kubelet has the pod.
func (s shop) deploys(t *testing.T, app, leaf string) {
	t.Helper()
	labels := map[string]string{"app": app, "in": leaf}
	s.Have(t, "europe", acctest.Deployment("shop", app+"-"+leaf, labels,
		corev1.PodSpec{NodeName: leaf, Containers: []corev1.Container{{Name: app, Image: "any"}}}))
	acctest.AwaitAny(t, s.Lab, "europe", &corev1.PodList{}, func(pod *corev1.Pod) bool {
		return pod.Labels[consts.LocalPodLabelKey] == consts.LocalPodLabelValue && pod.Status.PodIP != ""
	}, client.InNamespace("shop"), client.MatchingLabels(labels))
}

// hasLatency returns once Europe reports this round trip to a leaf, in milliseconds. Liqo measures it now and then.
func hasLatency(t *testing.T, lab *acctest.Lab, leaf string, least float64) {
	t.Helper()
	acctest.AwaitAny(t, lab, "europe", &networkingv1beta1.ConnectionList{},
		func(connection *networkingv1beta1.Connection) bool {
			latency, err := time.ParseDuration(connection.Status.Latency.Value)
			return err == nil && latency.Seconds()*1000 >= least
		}, client.InNamespace("liqo-tenant-"+leaf))
}

// The Service has a pod in Milan, and its clients are in Rome and in Naples. So two of three pairs share it.
func TestAccTheExampleOfShortcutsForServicesJoinsThePairsThatShareOne(t *testing.T) {
	lab := acctest.WithPods(t, acctest.UseUp(t, []string{
		"--dataplane=real", "--peer=europe=rome", "--peer=europe=milan", "--peer=europe=naples",
		"--cluster=europe=10.201.0.0/16", "--cluster=rome=10.202.0.0/16", "--cluster=milan=10.203.0.0/16",
		"--cluster=naples=10.204.0.0/16",
	}))
	const delay = 20.0 // milliseconds, between Europe and each leaf
	for _, leaf := range []string{"rome", "milan", "naples"} {
		lab.Link(t, "europe", leaf)(fmt.Sprintf("--delay=%vms", delay))
	}
	shop := openShop(t, lab.Lab)
	shop.deploys(t, "web", "milan")
	shop.deploys(t, "client", "rome")
	shop.deploys(t, "client", "naples")
	shop.leads(t, "rome", "", centrally)
	shop.leads(t, "naples", "", centrally)

	list := lab.Written(t, lab.Contexts(`
		data "liqo_topology" "all" {
		  central       = "europe"
		  include_pairs = true
		}
		output "pairs" {
		  value = join(" ", [for p in data.liqo_topology.all.pairs : format("%s/%s:%s:%d-%d", p.client, p.server,
		    join("+", [for s in p.services : "${s.namespace}.${s.name}"]), p.client_pods, p.server_pods)])
		}
		output "joined" {
		  value = join(" and ", [for p in data.liqo_topology.all.pairs : format("%s/%s/%s", p.has_shortcut,
		    alltrue([for s in p.services : s.direct]), p.central_latency_ms >= 80)])
		}`))
	const pairs = "milan/naples:shop.web:1-1 milan/rome:shop.web:1-1"
	shows := func(joined string) {
		t.Helper()
		list.Run("apply", "-auto-approve")
		if got := strings.TrimSpace(list.Run("output", "-raw", "pairs")); got != pairs {
			t.Errorf("the pairs are %s, expected %s", got, pairs)
		}
		if got := strings.TrimSpace(list.Run("output", "-raw", "joined")); got != joined {
			t.Errorf("they have a shortcut, direct connections and the latency of two links: %s, expected %s", got, joined)
		}
	}
	// A pod of the leaf asks the Service five times, as soon as the leaf's node leads it anywhere.
	fastest := func(leaf string) float64 {
		t.Helper()
		web := acctest.Get[corev1.Service](t, lab.Lab, leaf, "shop", "web").Spec.ClusterIP
		lab.GetsAnswer(t, leaf, web)
		return lab.Fastest(t, "http", leaf, "http://"+web, 5, "milan/shop/web-milan")
	}
	for _, leaf := range []string{"rome", "milan", "naples"} {
		hasLatency(t, lab.Lab, leaf, 2*delay)
	}
	shows("false/false/true and false/false/true")
	through := min(fastest("rome"), fastest("naples"))

	p := lab.Example(t, "shortcuts-for-services")
	p.Apply() // the next plan is empty
	if created := p.Resources(); strings.Count(created, "liqo_shortcut.") != 2 ||
		!strings.Contains(created, `liqo_shortcut.used["milan/naples"]`) ||
		!strings.Contains(created, `liqo_shortcut.used["milan/rome"]`) ||
		!strings.Contains(created, `liqo_direct_service.used["shop/web"]`) {
		t.Errorf("the example has created:\n%s", created)
	}
	for _, network := range lab.Networks(t) {
		if strings.HasPrefix(network, "rome ") && strings.Contains(network, "liqo-tenant-naples/") {
			t.Errorf("Rome and Naples share no Service and have %s", network)
		}
	}
	shop.leads(t, "rome", "", directly)
	shop.leads(t, "naples", "", directly)
	over := max(fastest("rome"), fastest("naples"))
	// A request is a way there and back for the connection, and another one for the answer. Through Europe, each way has
	// two links. Between the leaves, there is no delay.
	if through < 8*delay || over >= 8*delay {
		t.Errorf("the answers took %v ms before and %v ms over the shortcuts", through, over)
	}
	t.Logf("HTTP to the Service, with %v ms for each link of Europe: %.1f ms through it, %.1f ms over the shortcuts",
		delay, through, over)
	shows("true/true/true and true/true/true")
	p.Unchanged()
}
