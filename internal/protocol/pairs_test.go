package protocol

import (
	"slices"
	"testing"

	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// offloads gives Europe a virtual node for each of these leaves, with a pod of the namespace shop. The Service shop/web
// selects the one in Milan.
func (l *leaves) offloads(leaves ...string) {
	l.t.Helper()
	l.have("europe", namespaceNamed("shop"))
	for _, leaf := range leaves {
		l.have("europe", &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: leaf, Labels: map[string]string{
			consts.TypeLabel: consts.TypeNode, consts.RemoteClusterID: leaf,
		}}})
		l.have("europe", &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: leaf, Labels: map[string]string{
				"in": leaf, consts.LocalPodLabelKey: consts.LocalPodLabelValue,
			}},
			Spec: corev1.PodSpec{NodeName: leaf},
		})
	}
	l.have("europe", &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"in": "milan"}},
	})
}

const (
	topologyOfEurope = `
		data "liqo_topology" "all" {
		  central = "europe"
		}`
	pairsOfEurope = `
		data "liqo_topology" "all" {
		  central       = "europe"
		  include_pairs = true
		}`
)

var milanRome = named("milan_rome", "milan", "rome", overNodePort)

func TestTheListOfPairsIsTheSameBeforeAndAfterTheyAreJoined(t *testing.T) {
	l := leavesFor(t, topology...)
	l.offloads("rome", "milan")
	p := l.project(t, pairsOfEurope)
	const all = "data.liqo_topology.all"
	shows := func(joined string) {
		t.Helper()
		p.has(all, `[{"central_latency_ms":null,"client":"milan","client_pods":1,"has_shortcut":`+joined+
			`,"server":"rome","server_pods":1,"services":[{"direct":false,"name":"web","namespace":"shop"}]}]`, "pairs")
	}
	p.plan()
	shows("false")
	p.draws(all, `n1 -.-|"1 Service"| n3`)
	p.configure(milanRome).apply()
	p.configure(milanRome + pairsOfEurope).plan().isEmpty()
	shows("true")
	l.patch("europe", &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}},
		`{"spec":{"selector":{"in":"nobody"}}}`)
	p.plan().isEmpty()
	p.has(all, `[]`, "pairs", 0, "services") // a shortcut that no Service uses
	p.has(all, "true", "pairs", 0, "has_shortcut")
}

func TestPairsShowWhatTheWayThroughTheCentreCosts(t *testing.T) {
	l := leavesFor(t, topology...)
	l.offloads("rome", "milan")
	ofEurope := named("rome", "europe", "rome", overNodePort) + named("milan", "europe", "milan", overNodePort)
	l.project(t, ofEurope).apply()
	p := l.project(t, pairsOfEurope)
	p.plan()
	p.has("data.liqo_topology.all", "2", "pairs", 0, "central_latency_ms")
}

func TestPairsNeedThreeListsOfTheCentreAndNothingElse(t *testing.T) {
	l := leavesFor(t, topology...)
	l.offloads("rome", "milan")
	p := l.project(t, topologyOfEurope)
	without := p.refreshed()
	p.configure(pairsOfEurope)
	with := p.refreshed()
	for name := range l.all {
		// A request that is repeated counts once.
		more := slices.DeleteFunc(slices.Compact(with[name]), func(one clustertest.Request) bool {
			return slices.Contains(without[name], one)
		})
		var expected []clustertest.Request
		if name == "europe" {
			expected = []clustertest.Request{
				{Method: "GET", Path: "/api/v1/nodes"}, {Method: "GET", Path: "/api/v1/pods"},
				{Method: "GET", Path: "/api/v1/services"},
			}
		}
		if !slices.Equal(more, expected) {
			t.Errorf("of %s, pairs need %v in addition to %v", name, more, without[name])
		}
	}
}

func TestPairsAreCompleteOrAnError(t *testing.T) {
	l := leavesFor(t, topology...)
	l.offloads("rome", "milan")
	l.project(t, milanRome+named("rome_naples", "rome", "naples", overNodePort)).apply()
	p := l.project(t, pairsOfEurope)
	expectsPairs := func() {
		t.Helper()
		p.has("data.liqo_topology.all", "milan", "pairs", 0, "client")
		p.has("data.liqo_topology.all", "true", "pairs", 0, "has_shortcut")
		p.has("data.liqo_topology.all", "rome", "pairs", 1, "client")
	}
	l.of("milan").Stop()
	p.plan().says(`on leaf "milan"`) // Rome shows their shortcut
	expectsPairs()
	l.of("rome").Stop()
	p.planFails("Error: The pairs of leaves are not known", `with data.liqo_topology.all, include_pairs = true`,
		`Whether "milan" and "rome" have a shortcut is not known`, "`for_each` would destroy shortcuts")
	l.of("milan").Start()
	l.of("rome").Start()
	l.of("europe").Stop()
	p.planFails("Error: The pairs of leaves are not known", "include_pairs", `leaf "europe"`)
	l.of("europe").Start()
	p.plan()
	expectsPairs()
}
