package packets

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// The client dials the node with the server's pod.
func TestAccPacketsCrossAfterTheServersPodHasMovedToAnotherNode(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.TwoNodes)
	on := func(node string) string {
		return fmt.Sprintf(`
			server_gateway = {
			  service_type = "NodePort"
			  pods         = { node_selector = { "kubernetes.io/hostname" = %q } }
			}`, node)
	}
	p := lab.Join(t, "milan", on("milan-node"))
	for _, node := range []string{"milan-node-2", "milan-node"} {
		p.Configure(on(node))
		p.Update()
		p.Works()
		p.Run("plan", "-detailed-exitcode") // the client dials the address that the server has now
	}
}

// Packets cross in the end, whatever happens to the active pod of a gateway. An event may leave a pod that seems ready,
// and waits for a message that its other containers have sent long ago. The next event needs it: without its probes,
// nothing takes over. With a file for figures, the test measures what flows lose, in each case.
func TestAccPacketsCrossAgainAfterAFailover(t *testing.T) {
	cases := []failoverCase{ // all that the page of figures has; the first one takes the least time
		{"LoadBalancer", 2, "4s", "client", ""}, {"LoadBalancer", 2, "4s", "client", limited},
		{"LoadBalancer", 2, "15s", "client", ""},
		{"LoadBalancer", 1, "none", "client", ""}, {"LoadBalancer", 1, "none", "client", limited},
		{"LoadBalancer", 2, "4s", "server", ""}, {"LoadBalancer", 2, "4s", "server", limited},
		{"LoadBalancer", 2, "15s", "server", ""},
		{"LoadBalancer", 1, "none", "server", ""}, {"LoadBalancer", 1, "none", "server", limited},
		{"NodePort", 2, "4s", "server", ""}, {"NodePort", 2, "15s", "server", ""}, {"NodePort", 1, "none", "server", ""},
	}
	if !acctest.Measures() {
		cases = cases[:1]
	}
	for _, one := range cases {
		t.Run(one.String(), func(t *testing.T) {
			pods := fmt.Sprintf("{ replicas = %d }", one.replicas)
			if one.replicas > 1 {
				pods = fmt.Sprintf("{ replicas = %d, lease_duration = %q }", one.replicas, one.lease)
			}
			f := &failover{acctest.JoinTwoNodes(t, fmt.Sprintf(`
				server_gateway = { service_type = %q, pods = %[2]s }
				client_gateway = { pods = %[2]s }
				%[3]s`, one.service, pods, one.allow)),
				one, map[string]string{"client": "rome", "server": "milan"}[one.end]}
			f.takesOver("pod-deleted", f.deleteActive)
			for _, program := range []string{"liqo-gateway", "liqo-wireguard"} {
				f.takesOver(program+"-killed", func() { f.Lab.KillIn(t, f.cluster, f.active(), program) })
			}
			f.leaveFirstNode()
			f.shows("node-lost", func() {
				moves := f.whenEndpointMoves()
				f.whenTakenOver(func() { f.Lab.Set(t, f.cluster, "lost-nodes="+f.cluster+"-node-2") })
				if f.service == "NodePort" { // the client dials one node
					moves()
					f.Run("apply", "-auto-approve")
				}
			})
			f.shows("node-back", func() { f.Lab.Set(t, f.cluster, "lost-nodes=") })
			f.takesOver("api-server-away", func() {
				f.Lab.Command(t, "stop-apiserver", f.cluster)
				f.pingFor(map[bool]int{true: 60, false: 10}[acctest.Measures()]) // the leader gives up before
				f.Lab.Command(t, "start-apiserver", f.cluster)
			})
			f.takesOver("template-update", func() {
				f.Lab.UpdateTemplate(t, f.cluster)
				f.Run("apply", "-auto-approve")
			})
			f.Update() // the client of a server behind a NodePort may have to dial another node
			f.Run("plan", "-detailed-exitcode")
		})
	}
}

// failoverCase is a shortcut, and the end of it at which everything happens. The server's gateway has this Service, and
// both gateways have such pods. For a client, the server's Service makes no difference.
type failoverCase struct {
	service  string
	replicas int
	lease    string // its duration; Liqo's own is 15s
	end      string
	allow    string // none or [limited]
}

func (c failoverCase) String() string {
	return fmt.Sprintf("service=%s/replicas=%d/lease=%s/allow=%t/end=%s",
		c.service, c.replicas, c.lease, c.allow != "", c.end)
}

// failover is such a shortcut. Everything happens to the gateway of the cluster.
type failover struct {
	*acctest.PacketPair
	failoverCase

	cluster string
}

// active returns the pod that carries packets.
func (f *failover) active() *corev1.Pod {
	f.T.Helper()
	if f.replicas > 1 {
		return f.Lab.ActivePod(f.T, f.cluster, nil)
	}
	return f.Lab.GatewayPod(f.T, f.cluster)
}

func (f *failover) deleteActive() {
	f.T.Helper()
	acctest.Must(f.T, f.Lab.Client(f.T, f.cluster).Delete(f.T.Context(), f.active()))
}

// leaveFirstNode moves the active pod to the second node.
func (f *failover) leaveFirstNode() {
	f.T.Helper()
	cordon := func(unschedulable bool) {
		f.T.Helper()
		f.Lab.Patch(f.T, f.cluster, acctest.Named(&corev1.Node{}, "", f.cluster+"-node"),
			fmt.Sprintf(`{"spec":{"unschedulable":%t}}`, unschedulable))
	}
	if f.active().Spec.NodeName == f.cluster+"-node" {
		cordon(true)
		if f.replicas > 1 {
			f.whenTakenOver(f.deleteActive)
		} else {
			f.Lab.RenewGateway(f.T, f.cluster)
		}
		cordon(false)
		f.settle()
	}
	if on := f.active().Spec.NodeName; on != f.cluster+"-node-2" {
		f.T.Fatalf("the active pod is on %s", on)
	}
}

// whenTakenOver lets something happen, and returns when another process leads, if there are several.
func (f *failover) whenTakenOver(happens func()) {
	f.T.Helper()
	if f.replicas > 1 {
		defer f.Lab.NextLeader(f.T, f.cluster)()
	}
	happens()
}

// takesOver is like shows, for an event after which another process leads.
func (f *failover) takesOver(event string, happens func()) {
	f.T.Helper()
	f.shows(event, func() { f.whenTakenOver(happens) })
}

// whenEndpointMoves returns a function that waits until the client has to dial another address than now.
func (f *failover) whenEndpointMoves() func() {
	f.T.Helper()
	ctx, cancel := context.WithTimeout(f.T.Context(), eviction)
	f.T.Cleanup(cancel)
	gateways, err := f.Lab.Client(f.T, "milan").Watch(ctx, &networkingv1beta1.GatewayServerList{})
	acctest.Must(f.T, err)
	f.T.Cleanup(gateways.Stop)
	var before []string
	return func() {
		f.T.Helper()
		for change := range gateways.ResultChan() {
			gateway, ok := change.Object.(*networkingv1beta1.GatewayServer)
			if !ok || gateway.Status.Endpoint == nil {
				continue
			}
			now := gateway.Status.Endpoint.Addresses
			if slices.Contains(now, "") {
				continue // Liqo reports no address of a lost node
			}
			if before != nil && !slices.Equal(now, before) {
				return
			}
			before = now
		}
		f.T.Fatalf("the client has to dial %q still", before)
	}
}

// eviction is longer than Kubernetes takes to move the pod of a lost node, by default: 50 s until it notices, and 300 s
// more. The grace of flows is longer than TCP waits after such a time before it sends a lost packet again.
const (
	eviction      = 8 * time.Minute
	failoverGrace = "150s"
)

// shows lets something happen, and waits until packets cross again. If figures are wanted, it adds the longest time
// without an answer, of new pings and of flows that began before.
func (f *failover) shows(event string, happens func()) {
	f.T.Helper()
	f.ComesBack()
	if !acctest.Measures() {
		happens()
		f.ComesBack()
		return
	}
	var pings acctest.ProbeResult
	flows := flowsThrough(f.PacketPair, failoverGrace, func() {
		pings = f.Measure(f.end+", "+event, acctest.Briefly, func() {
			happens()
			f.settle()
			f.Lab.Probe(f.T, "ping", "rome", f.ServerAt, "--until-answer",
				fmt.Sprintf("--count=%.0f", eviction.Seconds()), "--interval=1s", "--timeout=1s")
		})
	})
	line := fmt.Sprintf("BenchmarkFailover/%s/event=%s 1", f.failoverCase, event)
	silent := func(milliseconds float64, unit string) { line += fmt.Sprintf(" %.1f %s-sec", milliseconds/1000, unit) }
	silent(pings.Silence, "new")
	for _, protocol := range []string{"icmp", "udp", "tcp"} {
		longest, broken := 0.0, false
		for flow, result := range flows {
			if strings.HasPrefix(flow, protocol) {
				longest, broken = max(longest, result.Silence), broken || result.Broken
			}
		}
		switch {
		case !broken:
			silent(longest, protocol)
		case f.replicas > 1 || event != "node-lost": // no flow lives for the minutes until Kubernetes moves a single pod
			f.T.Errorf("%s, %s: a flow of %s stays broken: %+v", f.end, event, protocol, flows)
		}
	}
	f.Lab.Record(f.T, line)
	f.ComesBack() // a single packet may still be lost, when a former pod's WireGuard dials again
}

// settle waits until each container that waits in vain was restarted, unless packets only have to come back.
func (f *failover) settle() {
	f.T.Helper()
	switch {
	case acctest.Measures() && f.replicas > 1:
		f.pingFor(40)
	case acctest.Measures():
		f.pingFor(10)
	}
}

// pingFor pings for some seconds.
func (f *failover) pingFor(seconds int) {
	f.T.Helper()
	f.Lab.Probe(f.T, "ping", "rome", f.ServerAt, fmt.Sprintf("--count=%d", seconds), "--interval=1s", "--timeout=1s")
}
