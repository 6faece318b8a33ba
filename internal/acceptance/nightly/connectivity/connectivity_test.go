package connectivity

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// twoNodes has the options of a lab with real packets, whose clusters have two nodes each and the same pod CIDR. The
// gateways have metrics.
var twoNodes = []string{
	"--dataplane=real", "--metrics", "--cluster=rome=10.200.0.0/16,nodes=2", "--cluster=milan=10.200.0.0/16,nodes=2",
}

// A healthy network is tested this often, and as many tests are killed. With -short, these are fewer.
const (
	manyTests, fewTests = 20, 3
	manyKills, fewKills = 30, 3
)

// mostOfATest is the maximum number of requests to a leaf for a test of two nodes whose packets pass. A pod needs five
// of them.
const mostOfATest = 60

func often(many, few int) int {
	if testing.Short() {
		return few
	}
	return many
}

// tested is a shortcut from Rome to Milan, and a connectivity test of it in a state of its own.
type tested struct {
	*acctest.Project
	pair *acctest.PacketPair
	lab  *acctest.RealLab
}

func borrowTested(t *testing.T, settings string) *tested {
	t.Helper()
	return borrowTestedOn(t, twoNodes, settings)
}

// borrowTestedOn is borrowTested on a lab with other options.
func borrowTestedOn(t *testing.T, options []string, settings string) *tested {
	t.Helper()
	lab := acctest.BorrowReal(t, options)
	pair := lab.Join(t, "milan", settings)
	pair.Works()
	p := lab.NewProject(t, t.TempDir())
	p.Configure(acctest.BothLeaves + `
		variable "run" {
		  default = "1"
		}
		variable "on_failure" {
		  default = "fail"
		}
		resource "liqo_connectivity_test" "it" {
		  client     = "rome"
		  server     = "milan"
		  on_failure = var.on_failure
		  triggers   = { run = var.run }
		}
		output "result" {
		  value = liqo_connectivity_test.it
		}`)
	p.Run("init")
	return &tested{p, pair, lab}
}

// connectivityResult is a liqo_connectivity_test in the state.
type connectivityResult struct {
	Status string `json:"status"`
	MTU    int    `json:"mtu"`
	Paths  []struct {
		FromLeaf      string  `json:"from_leaf"`
		FromNode      string  `json:"from_node"`
		ToNode        string  `json:"to_node"`
		Address       string  `json:"address"`
		Answered      int     `json:"answered"`
		LatencyMean   float64 `json:"latency_mean"`
		LatencyMax    float64 `json:"latency_max"`
		LargestPacket int     `json:"largest_packet"`
	} `json:"paths"`
	Faults []struct {
		Hop      string `json:"hop"`
		Leaf     string `json:"leaf"`
		Node     string `json:"node"`
		Evidence string `json:"evidence"`
		Advice   string `json:"advice"`
	} `json:"faults"`
}

// again runs the test once more, and returns what it records.
func (p *tested) again(run int) connectivityResult {
	p.T.Helper()
	p.Run("apply", "-auto-approve", fmt.Sprintf("-var=run=%d", run), "-var=on_failure=record")
	var result connectivityResult
	if err := json.Unmarshal([]byte(p.Run("output", "-json", "result")), &result); err != nil {
		p.T.Fatal(err)
	}
	return result
}

// ofTests selects the pods of connectivity tests.
var ofTests = client.MatchingLabels{"app.kubernetes.io/component": "connectivity-test"}

// noPods fails the test if pods of a connectivity test exist.
func noPods(t *testing.T, l *acctest.RealLab) {
	t.Helper()
	for _, name := range []string{"rome", "milan"} {
		if left := testPods(t, l, name); len(left) > 0 {
			t.Errorf("in %s, %q are left", name, left)
		}
	}
}

func testPods(t *testing.T, l *acctest.RealLab, cluster string) []string {
	t.Helper()
	var pods corev1.PodList
	if err := l.Client(t, cluster).List(t.Context(), &pods, ofTests); err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range pods.Items {
		names = append(names, pods.Items[i].Name)
	}
	return names
}

func TestAccPacketsOfAConnectivityTestPassBetweenAllNodes(t *testing.T) {
	p := borrowTested(t, acctest.OverNodePort)
	for run := range often(manyTests, fewTests) {
		result := p.again(run)
		if result.Status != "Passed" || len(result.Paths) != 8 || len(result.Faults) > 0 || result.MTU != 1340 {
			t.Fatalf("got %+v", result)
		}
		noPods(t, p.lab)
	}
	var result connectivityResult
	costs := p.lab.RequestsDuring(t, func() { result = p.again(-1) })["rome"]
	if acctest.Total(costs) > mostOfATest {
		t.Errorf("a test makes %d requests to a leaf, not %d:%s", acctest.Total(costs), mostOfATest, acctest.Listed(costs))
	}
	pinged := p.lab.Probe(t, "ping", "rome", p.pair.ServerAt)
	for _, path := range result.Paths {
		// Both are round trips on this machine. A prober shares it with seven others.
		if path.FromLeaf == "rome" && (path.LatencyMean < pinged.Min/3 || path.LatencyMean > 30*pinged.Max) {
			t.Errorf("a ping takes %.3f to %.3f ms, and the test says %.3f ms", pinged.Min, pinged.Max, path.LatencyMean)
		}
	}
	t.Logf("ping: %+v; the test: %+v", pinged, result.Paths)
	p.Run("plan", "-detailed-exitcode", "-var=run=-1", "-var=on_failure=record")
	p.Run("destroy", "-auto-approve")
	p.pair.Works()
}

// hopFault is something that makes packets get lost, and the hop that the test must name.
type hopFault struct {
	breaks func(p *tested) (mend func())
	hop    string // hop, leaf and node
	says   string // part of the evidence or of the advice
}

// onLab returns a fault that is a command of the lab at a place.
func onLab(where func(*tested) string, command string, options ...string) func(*tested) func() {
	return func(p *tested) func() {
		at := where(p)
		p.lab.Command(p.T, append([]string{command, at}, options...)...)
		return func() { p.lab.Command(p.T, "mend", at) }
	}
}

// gatewayOf is the place of a cluster's gateway.
func gatewayOf(cluster string) func(*tested) string {
	return func(p *tested) string {
		pod := p.lab.GatewayPod(p.T, cluster)
		return cluster + "/" + pod.Namespace + "/" + pod.Name
	}
}

// gatewayNode is the node of a cluster's gateway, and otherNode the one without it.
func gatewayNode(cluster string) func(*tested) string {
	return func(p *tested) string { return cluster + "/" + p.lab.GatewayPod(p.T, cluster).Spec.NodeName }
}

func (p *tested) otherNode(cluster string) string {
	if p.lab.GatewayPod(p.T, cluster).Spec.NodeName == cluster+"-node" {
		return cluster + "-node-2"
	}
	return cluster + "-node"
}

func otherNodeOf(cluster string) func(*tested) string {
	return func(p *tested) string { return cluster + "/" + p.otherNode(cluster) }
}

func TestAccPacketsThatGetLostHaveTheHopNamed(t *testing.T) {
	p := borrowTested(t, acctest.OverNodePort)
	faults := map[string]hopFault{
		"the devices of pods carry nothing": {
			onLab(otherNodeOf("rome"), "drop", "--hook=prerouting", "--in=pod*"), "pod rome other", "",
		},
		"a node has no route": {
			onLab(otherNodeOf("rome"), "unroute", "10.71.0.0/16"), "node rome other", "node-gw",
		},
		"the overlay fails on one of two nodes": {
			onLab(otherNodeOf("milan"), "device", "liqo.*", "--down"), "overlay milan other", "spec.nodeName",
		},
		"a gateway drops what comes from the tunnel": {
			onLab(gatewayOf("rome"), "drop", "--hook=forward", "--in=liqo-tunnel"), "gateway rome ", "nft list ruleset",
		},
		"a gateway has another key": {
			func(p *tested) func() { return p.otherKey("milan", "rome") }, "tunnel  ", "Connection",
		},
		"the network drops the tunnel's packets in one direction": {
			onLab(gatewayNode("milan"), "drop", "--hook=prerouting", "--in=eth0", "--protocol=udp"), "tunnel  ", "Connection",
		},
		"the network drops the tunnel's large packets": {
			onLab(gatewayNode("milan"), "drop", "--hook=prerouting", "--in=eth0", "--protocol=udp", "--larger=1300"),
			"tunnel  ", "`mtu = ",
		},
		"a node of the other leaf has no route": {
			onLab(otherNodeOf("milan"), "unroute", "10.71.0.0/16"), "node milan other", "node-gw",
		},
		"the other gateway drops what comes from its nodes": {
			onLab(gatewayOf("milan"), "drop", "--hook=forward", "--out=liqo-tunnel"), "gateway milan ", "nft list ruleset",
		},
	}
	const fewFaults = 3
	for _, name := range acctest.SomeOf(slices.Sorted(maps.Keys(faults)), fewFaults, acctest.NewDice(t)) {
		t.Run(name, func(t *testing.T) {
			test := faults[name]
			p.T = t
			mend := test.breaks(p)
			result := p.again(1)
			mend()
			if result.Status != "Failed" {
				t.Error("it has passed")
			}
			for _, found := range result.Faults {
				node := ""
				if found.Node != "" {
					node = "other"
				}
				if got := fmt.Sprintf("%s %s %s", found.Hop, found.Leaf, node); got != test.hop ||
					!strings.Contains(found.Evidence+found.Advice, test.says) {
					t.Errorf("got %s (%s):\n%s\n%s", got, found.Node, found.Evidence, found.Advice)
				}
			}
			noPods(t, p.lab)
			p.pair.ComesBack()
			if result := p.again(2); result.Status != "Passed" {
				t.Errorf("after the fault: %+v", result.Faults)
			}
		})
	}
}

// otherKey gives a cluster a wrong key of another one. The returned function gives it the right one again.
func (p *tested) otherKey(cluster, remote string) (mend func()) {
	p.T.Helper()
	c := p.lab.Client(p.T, cluster)
	var key networkingv1beta1.PublicKey
	name := client.ObjectKey{Namespace: "liqo-tenant-" + remote, Name: remote}
	if err := c.Get(p.T.Context(), name, &key); err != nil {
		p.T.Fatal(err)
	}
	right := key.Spec.PublicKey
	set := func(value []byte) {
		key.Spec.PublicKey = value
		if err := c.Update(p.T.Context(), &key); err != nil {
			p.T.Fatal(err)
		}
	}
	set(bytes.Repeat([]byte{1}, len(right)))
	return func() { set(right) }
}

func TestAccPacketsOfAPolicyAreNamedAfterIt(t *testing.T) {
	p := borrowTested(t, acctest.OverNodePort)
	p.lab.Have(t, "rome", &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-milan", Name: "deny-ingress"},
		Spec:       networkingv1.NetworkPolicySpec{PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}},
	})
	// The lab has nothing that enforces policies. This does to the pods of one node what such a policy would.
	node := "rome/" + p.otherNode("rome")
	p.lab.Command(t, "drop", node, "--hook=postrouting", "--out=pod*", "--protocol=icmp", "--from=10.71.0.0/16")
	t.Cleanup(func() { p.lab.Command(t, "mend", node) })
	output := p.Refused("apply", "-auto-approve")
	acctest.Says(t, output,
		fmt.Sprintf("Packets get lost between a pod and node %q of leaf \"rome\"", p.otherNode("rome")),
		"NetworkPolicy liqo-tenant-milan/deny-ingress")
	if left := p.Resources(); left != "" {
		t.Errorf("a test that failed is in the state: %s", left)
	}
	noPods(t, p.lab)
}

func TestAccPacketsThatAreTooLargeForThePathNameTheMTU(t *testing.T) {
	p := borrowTested(t, acctest.OverNodePort+"\nmtu = 1500")
	node := gatewayNode("milan")(p)
	p.lab.Command(t, "drop", node, "--hook=prerouting", "--in=eth0", "--fragments")
	t.Cleanup(func() { p.lab.Command(t, "mend", node) })
	output := p.Refused("apply", "-auto-approve")
	acctest.Says(t, output, "Large packets get lost between the gateways of", "`mtu = 1440`")
}

func TestAccPacketsOfAKilledConnectivityTestLeaveNothing(t *testing.T) {
	p := borrowTested(t, acctest.OverNodePort)
	for kill := range often(manyKills, fewKills) {
		p.signalAfter(1+kill%4, syscall.SIGKILL) // the later, the more pods there are
		p.Unlock()
	}
	if result := p.again(-1); result.Status != "Passed" {
		t.Errorf("got %+v", result)
	}
	noPods(t, p.lab)

	t.Log("An interrupted one removes its pods by itself.")
	acctest.Says(t, p.signalAfter(2, syscall.SIGINT), "interrupted")
	noPods(t, p.lab)
}

// signalAfter runs the test, and sends a signal to Terraform and the provider as soon as Rome has so many pods of it.
// It returns the output.
func (p *tested) signalAfter(pods int, signal syscall.Signal) string {
	p.T.Helper()
	left := testPods(p.T, p.lab, "rome") // by killed ones, which the watch begins with
	changes, err := p.lab.Administrator(p.T, "rome").Watch(p.T.Context(), &corev1.PodList{}, ofTests)
	if err != nil {
		p.T.Fatal(err)
	}
	defer changes.Stop()
	running := p.Begin("apply", "-auto-approve", "-var=run="+rand.Text())
	for created := 0; created < pods; {
		select {
		case event := <-changes.ResultChan():
			pod, ok := event.Object.(*corev1.Pod)
			if ok && event.Type == watch.Added && !slices.Contains(left, pod.Name) {
				created++
			}
		case <-running.Ended:
			output, err := running.Wait()
			p.T.Fatalf("it has ended: %v\n%s", err, output)
		}
	}
	if err := running.Signal(signal); err != nil {
		p.T.Fatal(err)
	}
	output, _ := running.Wait() // its error is the signal
	return output
}

func TestAccPacketsPassInTheExamplesOfAConnectivityTest(t *testing.T) {
	lab := acctest.BorrowReal(t, twoNodes)
	p := lab.Example(t, "resources/liqo_connectivity_test")
	p.Write("provider.tf", lab.Contexts(""))
	p.Apply()
	acctest.Says(t, p.Run("state", "show", "liqo_connectivity_test.recorded"), `status = "Passed"`)
	acctest.Says(t, p.Run("output", "latency"), "pods", "tunnel")
	acctest.Says(t, p.Run("apply", "-auto-approve", "-var=test=2"), "0 added, 1 changed, 0 destroyed")
	p.Run("destroy", "-auto-approve")

	action := lab.NewProject(t, acctest.Root+"/examples/actions/liqo_connectivity_test").OnTerraform114()
	acctest.DestroyAtLast(action)
	action.Write("provider.tf", lab.Contexts(""))
	action.Run("init")
	acctest.Says(t, action.Run("apply", "-auto-approve"), "Starting pods on 2 nodes of",
		"80 of 80 packets are answered on 8 paths", "Actions: 1 invoked")
	gateway := gatewayOf("milan")(&tested{Project: action, lab: lab})
	lab.Command(t, "drop", gateway, "--hook=forward", "--in=liqo-tunnel")
	t.Cleanup(func() { lab.Command(t, "mend", gateway) })
	const invoke = "-invoke=action.liqo_connectivity_test.rome_milan"
	acctest.Says(t, action.Refused("apply", "-auto-approve", invoke), `The gateway of "milan" does not pass packets on`)
	acctest.Says(t, action.Run("state", "show", acctest.RomeMilan), `status`)
	noPods(t, lab)
}
