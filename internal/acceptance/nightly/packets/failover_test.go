package packets

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// failoverColumns is the environment variable that says how many columns of the guide's table are measured. Each takes
// some twenty minutes.
const failoverColumns = "FAILOVER_COLUMNS"

// failovers are the columns: the Service of the server's gateway, and the pods of both.
var failovers = []struct{ service, pods string }{
	{"LoadBalancer", `replicas = 2, failover = "4s"`}, {"LoadBalancer", `replicas = 2`}, {"LoadBalancer", `replicas = 1`},
	{"NodePort", `replicas = 2, failover = "4s"`}, {"NodePort", `replicas = 2`}, {"NodePort", `replicas = 1`},
}

// The table of the runbook: what flows lose when something happens to the active pod of a gateway. It shows that
// packets cross in the end, whatever has happened before. The figures are for people.
func TestAccPacketsShowWhatAFailoverCosts(t *testing.T) {
	for _, column := range failovers[:acctest.NumberFrom(t, failoverColumns, 1)] {
		t.Run(column.service+", "+column.pods, func(t *testing.T) {
			f := newFailover(t, fmt.Sprintf(`
				server_gateway = { service_type = %q, pods = { %[2]s } }
				client_gateway = { pods = { %[2]s } }`, column.service, column.pods))
			f.standby = column.pods != `replicas = 1`
			for _, cluster := range []string{"rome", "milan"} {
				f.goThrough(cluster, column.service == "LoadBalancer")
			}
			f.Run("plan", "-detailed-exitcode") // nothing is left to repair
		})
	}
}

// failover is a shortcut between leaves with two nodes. The pods that send are on the first ones, to which the load
// balancer leads, too.
type failover struct {
	*acctest.PacketPair

	standby bool
}

func newFailover(t *testing.T, settings string) *failover {
	t.Helper()
	borrowed := acctest.UseUp(t, acctest.TwoNodes)
	for _, cluster := range []string{"rome", "milan"} {
		borrowed.Command(t, "run", cluster+"/default/a", "--node", cluster+"-node")
	}
	return &failover{PacketPair: acctest.WithPods(t, borrowed).Join(t, "milan", settings)}
}

// goThrough lets everything happen to the gateway of one cluster.
func (f *failover) goThrough(cluster string, balanced bool) {
	t := f.T
	t.Helper()
	c := f.Lab.Client(t, cluster)
	active := func() *corev1.Pod {
		t.Helper()
		if f.standby {
			return f.Lab.ActivePod(t, cluster, nil)
		}
		return f.Lab.GatewayPod(t, cluster)
	}
	f.shows(cluster, "active pod deleted", func() {
		if err := c.Delete(t.Context(), active()); err != nil {
			t.Fatal(err)
		}
	})
	for _, program := range []string{"liqo-gateway", "liqo-wireguard"} {
		f.shows(cluster, program+" killed", func() { f.Lab.KillIn(t, cluster, active(), program) })
	}
	if f.standby && (balanced || cluster == "rome") {
		for on := active(); on.Spec.NodeName == cluster+"-node"; on = f.Lab.ActivePod(t, cluster, on) {
			if err := c.Delete(t.Context(), on); err != nil {
				t.Fatal(err)
			}
		}
		f.passTime()
		f.shows(cluster, "node lost", func() { f.Lab.Command(t, "set", cluster, "lost-nodes="+cluster+"-node-2") })
		f.shows(cluster, "node back", func() { f.Lab.Command(t, "set", cluster, "lost-nodes=") })
	}
	f.shows(cluster, "API server away", func() {
		f.Lab.Command(t, "stop-apiserver", cluster)
		f.passTime()
		f.Lab.Command(t, "start-apiserver", cluster)
	})
	f.shows(cluster, "update of Liqo's template", func() {
		f.updateTemplate(cluster)
		f.Run("apply", "-auto-approve")
	})
}

// shows logs what pings and flows lose when something happens, and for a while afterwards.
func (f *failover) shows(cluster, name string, happens func()) {
	f.T.Helper()
	f.ComesBack()
	figures := map[string]*flowFigures{}
	flowsThrough(f.PacketPair, figures, func() {
		f.During(map[string]string{"rome": "client", "milan": "server"}[cluster]+", "+name, func() {
			happens()
			f.passTime()
		})
	})
	for _, flow := range slices.Sorted(maps.Keys(figures)) {
		f.T.Logf("%s, %s: no answer for %.1f s, %d broken", name, flow, figures[flow].silences[0]/1000, figures[flow].broken)
	}
	f.Works()
}

// passTime pings for a minute. By then, each container that waited in vain was restarted. In less time, the figures are
// too small, but packets must come back all the same.
func (f *failover) passTime() {
	f.T.Helper()
	count := "--count=60"
	if testing.Short() {
		count = "--count=15"
	}
	f.Lab.Probe(f.T, "ping", "rome", f.ServerAt, count, "--interval=1s", "--timeout=1s")
}

// updateTemplate changes the images in Liqo's template of a cluster's gateways, as an update does.
func (f *failover) updateTemplate(cluster string) {
	f.T.Helper()
	c, template := f.Lab.Client(f.T, cluster), &unstructured.Unstructured{}
	name := map[string]string{"rome": "Client", "milan": "Server"}[cluster]
	template.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind("WgGateway" + name + "Template"))
	key := client.ObjectKey{Namespace: "liqo", Name: "wireguard-" + strings.ToLower(name)}
	if err := c.Get(f.T.Context(), key, template); err != nil {
		f.T.Fatal(err)
	}
	path := []string{"spec", "template", "spec", "deployment", "spec", "template", "spec", "containers"}
	containers, _, err := unstructured.NestedSlice(template.Object, path...)
	if err != nil {
		f.T.Fatal(err)
	}
	for _, container := range containers {
		if fields, ok := container.(map[string]any); ok {
			fields["image"] = fmt.Sprint(fields["image"], "-next")
		}
	}
	if err := unstructured.SetNestedSlice(template.Object, containers, path...); err != nil {
		f.T.Fatal(err)
	}
	if err := c.Update(f.T.Context(), template); err != nil {
		f.T.Fatal(err)
	}
}
