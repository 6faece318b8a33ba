package connectivity

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
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

func TestMain(m *testing.M) { acctest.Main(m, acctest.WithTenantNamespaces) }

// twoNodes has the options of a lab with real packets, whose clusters have two nodes each and the same pod CIDR.
var twoNodes = []string{
	"--dataplane=real", "--cluster=rome=10.200.0.0/16,nodes=2", "--cluster=milan=10.200.0.0/16,nodes=2",
}

// tested is a shortcut from Rome to Milan, and a connectivity test of it in a state of its own.
type tested struct {
	*acctest.Project
	pair    *acctest.PacketPair
	lab     *acctest.RealLab
	several bool // nodes in each cluster
	slow    bool // the nodes
	runs    int  // of the test
}

func borrowTested(t *testing.T, options []string, settings string) *tested {
	t.Helper()
	lab := acctest.BorrowReal(t, options)
	pair := lab.Join(t, "milan", settings)
	pair.Works()
	p := lab.NewProject(t, "testdata/tested")
	p.Run("init")
	return &tested{Project: p, pair: pair, lab: lab, several: slices.Equal(options, twoNodes)}
}

// connectivityResult is a liqo_connectivity_test in the state.
type connectivityResult struct {
	Status  string `json:"status"`
	PathMTU int    `json:"path_mtu"`
	Paths   []struct {
		FromLeaf      string  `json:"from_leaf"`
		FromNode      string  `json:"from_node"`
		ToNode        string  `json:"to_node"`
		Address       string  `json:"address"`
		Answered      int     `json:"answered"`
		LatencyMean   float64 `json:"latency_mean_ms"`
		LatencyMax    float64 `json:"latency_max_ms"`
		LargestPacket int     `json:"largest_packet"`
	} `json:"paths"`
	Faults []struct {
		Hop      string `json:"hop"`
		Leaf     string `json:"leaf"`
		Node     string `json:"node"`
		Summary  string `json:"summary"`
		Evidence string `json:"evidence"`
		Advice   string `json:"advice"`
	} `json:"faults"`
}

// again runs the test once more, and returns what it records.
func (p *tested) again() connectivityResult {
	p.T.Helper()
	p.runs++ // with the same number, Terraform would show the last result
	p.Run("apply", "-auto-approve", fmt.Sprintf("-var=run=%d", p.runs), "-var=on_failure=record")
	var result connectivityResult
	acctest.Must(p.T, json.Unmarshal([]byte(p.Run("output", "-json", "result")), &result))
	return result
}

// passes runs the test once more, which must pass.
func (p *tested) passes() connectivityResult {
	p.T.Helper()
	result := p.again()
	if result.Status != "Passed" {
		p.T.Errorf("got %+v", result)
	}
	return result
}

// ofTests selects the pods of connectivity tests.
var ofTests = client.MatchingLabels{"app.kubernetes.io/component": "connectivity-test"}

// noPods fails the test if pods of a connectivity test exist.
func (p *tested) noPods() {
	p.T.Helper()
	for name := range acctest.Other {
		if left := p.lab.Shows(p.T, name, &corev1.PodList{}, ".metadata.name", ofTests); left != "" {
			p.T.Errorf("in %s, these pods of tests are left: %s", name, left)
		}
	}
}

// drops lets packets get lost at a place, until the test ends at the latest.
func (p *tested) drops(place string, which ...string) (mend func()) {
	p.T.Helper()
	p.lab.Command(p.T, append([]string{"drop", place}, which...)...)
	mend = func() { p.lab.Command(p.T, "mend", place) }
	p.T.Cleanup(mend)
	return mend
}

func TestAccPacketsOfAConnectivityTestPassBetweenAllNodes(t *testing.T) {
	p := borrowTested(t, twoNodes, acctest.OverNodePort)
	for range acctest.OrShort(20, 3) {
		result := p.again()
		if result.Status != "Passed" || len(result.Paths) != 8 || len(result.Faults) > 0 || result.PathMTU != 1340 {
			t.Fatalf("got %+v", result)
		}
		p.noPods()
	}
	costs := p.lab.Requests(t, "rome")
	result := p.again()
	costs = acctest.Since(costs, p.lab.Requests(t, "rome"))
	const most = 60 // for two nodes; a pod needs five of them
	if acctest.Total(costs) > most {
		t.Errorf("a test makes %d requests to a leaf, not %d:%s", acctest.Total(costs), most, acctest.Listed(costs))
	}
	pinged := p.lab.Probe(t, "ping", "rome", p.pair.ServerAt)
	for _, path := range result.Paths {
		// Both are round trips on this machine. A prober shares it with seven others.
		if path.FromLeaf == "rome" && (path.LatencyMean < pinged.Min/3 || path.LatencyMean > 30*pinged.Max) {
			t.Errorf("a ping takes %.3f to %.3f ms, and the test says %.3f ms", pinged.Min, pinged.Max, path.LatencyMean)
		}
	}
	t.Logf("ping: %+v; the test: %+v", pinged, result.Paths)
	p.Run("plan", "-detailed-exitcode", fmt.Sprintf("-var=run=%d", p.runs), "-var=on_failure=record")
	p.Run("destroy", "-auto-approve")
	p.pair.Works()
}

// gateway is the place of a cluster's gateway.
func (p *tested) gateway(cluster string) string {
	p.T.Helper()
	pod := p.lab.GatewayPod(p.T, cluster)
	return cluster + "/" + pod.Namespace + "/" + pod.Name
}

// gatewayNode is the place of the node of a cluster's gateway.
func (p *tested) gatewayNode(cluster string) string {
	p.T.Helper()
	return cluster + "/" + p.lab.GatewayPod(p.T, cluster).Spec.NodeName
}

// otherNode is the place of a cluster's node without the gateway.
func (p *tested) otherNode(cluster string) string {
	p.T.Helper()
	first, second := cluster+"/"+cluster+"-node", cluster+"/"+cluster+"-node-2"
	if p.gatewayNode(cluster) == first {
		return second
	}
	return first
}

func TestAccPacketsThatTheTunnelLosesAreItsFault(t *testing.T) {
	p := borrowTested(t, twoNodes, acctest.OverNodePort)
	for name, test := range map[string]struct {
		breaks func() (mend func())
		says   string // part of the evidence or of the advice
	}{
		"a gateway has another key": {func() func() {
			key := acctest.Get[networkingv1beta1.PublicKey](p.T, p.lab.Lab, "milan", "liqo-tenant-rome", "rome")
			set := func(value []byte) {
				key.Spec.PublicKey = value
				acctest.Must(p.T, p.lab.Client(p.T, "milan").Update(p.T.Context(), key))
			}
			right := key.Spec.PublicKey
			set(bytes.Repeat([]byte{1}, len(right)))
			return func() { set(right) }
		}, "Connection"},
		"the network drops its large packets": {func() func() {
			return p.drops(p.gatewayNode("milan"), "--hook=prerouting", "--in=eth0", "--protocol=udp", "--larger=1300")
		}, "`mtu = "},
	} {
		t.Run(name, func(t *testing.T) {
			p.In(t)
			mend := test.breaks()
			result := p.again()
			mend()
			if len(result.Faults) != 1 || result.Faults[0].Hop != "Tunnel" ||
				!strings.Contains(result.Faults[0].Evidence+result.Faults[0].Advice, test.says) {
				t.Errorf("got %+v", result.Faults)
			}
			p.noPods()
			p.pair.ComesBack()
		})
	}
}

func TestAccPacketsOfAPolicyAreNamedAfterIt(t *testing.T) {
	p := borrowTested(t, twoNodes, acctest.OverNodePort)
	p.lab.Have(t, "rome", &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-milan", Name: "deny-ingress"},
		Spec:       networkingv1.NetworkPolicySpec{PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}},
	})
	// The lab has nothing that enforces policies. This does to the pods of one node what such a policy would.
	node := p.otherNode("rome")
	p.drops(node, "--hook=postrouting", "--out=pod*", "--protocol=icmp", "--from=10.71.0.0/16")
	output := p.Refused("apply", "-auto-approve")
	acctest.Says(t, output,
		fmt.Sprintf("Packets get lost between a pod and node %q of leaf \"rome\"", strings.TrimPrefix(node, "rome/")),
		"NetworkPolicy liqo-tenant-milan/deny-ingress")
	p.HasNoState()
	p.noPods()
}

func TestAccPacketsThatAreTooLargeForThePathNameTheMTU(t *testing.T) {
	p := borrowTested(t, twoNodes, acctest.OverNodePort+"\nmtu = 1500")
	p.drops(p.gatewayNode("milan"), "--hook=prerouting", "--in=eth0", "--fragments")
	acctest.Says(t, p.Refused("apply", "-auto-approve"), "Large packets get lost between the gateways of", "`mtu = 1440`")
}

func TestAccPacketsOfAKilledConnectivityTestLeaveNothing(t *testing.T) {
	p := borrowTested(t, twoNodes, acctest.OverNodePort)
	// Terraform and the provider get a signal as soon as Rome has so many new containers of the test: two pods, and then
	// one more in each.
	signalAfter := func(containers int, signal syscall.Signal) (output string) {
		var left corev1.PodList // by killed ones, which the watch begins with
		c := p.lab.Client(t, "rome")
		acctest.Must(t, c.List(t.Context(), &left, ofTests))
		changes, err := c.Watch(t.Context(), &corev1.PodList{}, ofTests)
		acctest.Must(t, err)
		defer changes.Stop()
		running := p.Begin("apply", "-auto-approve", "-var=run="+rand.Text())
		created := map[string]int{} // keyed by the name of a pod
		for total := 0; total < containers; {
			select {
			case event := <-changes.ResultChan():
				pod, ok := event.Object.(*corev1.Pod)
				if ok && event.Type != watch.Deleted && !slices.ContainsFunc(left.Items, func(old corev1.Pod) bool {
					return old.Name == pod.Name
				}) {
					now := 1 + len(pod.Spec.EphemeralContainers)
					total += now - created[pod.Name]
					created[pod.Name] = now
				}
			case <-running.Ended:
				output, err := running.Wait()
				t.Fatalf("it has ended: %v\n%s", err, output)
			}
		}
		acctest.Must(t, running.Signal(signal))
		output, _ = running.Wait() // its error is the signal
		return output
	}
	for kill := range acctest.OrShort(30, 3) {
		signalAfter(1+kill%4, syscall.SIGKILL)
		p.Unlock()
	}
	p.passes()
	p.noPods()

	t.Log("An interrupted one removes its pods by itself.")
	acctest.Says(t, signalAfter(2, syscall.SIGINT), "interrupted")
	p.noPods()
}

func TestAccPacketsPassInTheExamplesOfAConnectivityTest(t *testing.T) {
	lab := acctest.BorrowReal(t, twoNodes)
	p := lab.Example(t, "resources/liqo_connectivity_test")
	p.Write("provider.tf", lab.Contexts(""))
	p.Apply()
	acctest.Says(t, p.Run("state", "show", "liqo_connectivity_test.recorded"), `status = "Passed"`)
	acctest.Says(t, p.Run("output", "latency"), "pods", "tunnel")
	acctest.Says(t, p.Run("apply", "-auto-approve", "-var=test=2"), acctest.InPlace)
	p.Run("destroy", "-auto-approve")

	action := lab.NewProject(t, acctest.Root+"/examples/actions/liqo_connectivity_test").OnTerraform114()
	acctest.DestroyAtLast(action)
	action.Write("provider.tf", lab.Contexts(""))
	action.Run("init")
	acctest.Says(t, action.Run("apply", "-auto-approve"), "Starting pods on 2 nodes of",
		"80 of 80 packets are answered on 8 paths", "Actions: 1 invoked")
	of := &tested{Project: action, lab: lab}
	of.drops(of.gateway("milan"), "--hook=forward", "--in=liqo-tunnel")
	const invoke = "-invoke=action.liqo_connectivity_test.rome_milan"
	acctest.Says(t, action.Refused("apply", "-auto-approve", invoke), `get lost in one of the two gateways`)
	acctest.Says(t, action.Run("state", "show", acctest.RomeMilan), `status`)
	of.noPods()
}
