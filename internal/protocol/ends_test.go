package protocol

import (
	"net/http"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// givesNoAddress lets Milan's load balancer give no address until the returned function is called.
func (l *leaves) givesNoAddress() (refill func()) {
	l.t.Helper()
	pool := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: "load-balancer"},
		Data:       map[string]string{"addresses": "none"},
	}
	l.have("milan", pool)
	return func() { l.t.Helper(); l.patch("milan", pool, `{"data":null}`) }
}

const (
	turinsServer = "liqo_gateway_server.turin"
	romesRanges  = "pod_cidrs = [\"10.202.0.0/16\"]\nexternal_cidr = \"192.168.0.0/24\""
)

// serverOf returns a gateway of Milan for a cluster that does not exist.
func serverOf(settings string) string { return endAt(turinsServer, "milan", "turin", settings) }

// turinsGateway returns Milan's gateway for Turin.
func (l *leaves) turinsGateway() *networkingv1beta1.GatewayServer {
	l.t.Helper()
	return read(l, "milan", inTenant(&networkingv1beta1.GatewayServer{}, "turin"))
}

func TestAGatewayWhoseCreateFailedBelongsToTheStateThatHasIt(t *testing.T) {
	l := leavesFor(t)
	refill := l.givesNoAddress()
	first := l.project(t, serverOf(""))
	written := l.of("milan").gets(http.MethodPatch, "/gatewayservers/turin")
	first.runsOut(written, `Time ran out while waiting for the gateway's Service to get an address on "milan".`,
		"Warning: The resource is tainted")
	gateway := l.turinsGateway()
	l.patch("milan", gateway, inFirst)
	second := l.project(t, serverOf(`service_type = "NodePort"`))
	second.isRefused("Error: A liqo_gateway_server for", `exists already on leaf "milan"`, byFirst)

	refill()
	first.untaint(turinsServer)
	first.apply()
	if now := l.turinsGateway(); now.UID != gateway.UID {
		t.Error("the gateway was replaced")
	}
	first.taint(turinsServer)
	first.apply().does("replace", turinsServer)
	if now := l.turinsGateway(); now.UID == gateway.UID {
		t.Error("the gateway was not replaced")
	}
}

func TestAGatewayThatStillWaitsForItsAddressIsNobodyElses(t *testing.T) {
	l := leavesFor(t)
	refill := l.givesNoAddress()
	first := l.project(t, serverOf(""))
	second := l.project(t, serverOf(`service_type = "NodePort"`))
	written := l.of("milan").gets(http.MethodPatch, "/gatewayservers/turin")
	created := first.applying(written)
	// While the first one waits, the second one waits for it, and fails.
	defer second.limit(l.of("milan").watches("leases", "terraform-provider-liqo.milan.turin.gateway"))()
	second.isRefused(`Error: Another operation on the gateway for cluster "turin" has not ended on leaf "milan"`)
	refill()
	created()
	first.plan().isEmpty()
}

func TestAResourceOfOneEndMovesBackToTheTenantNamespace(t *testing.T) {
	l := leavesFor(t)
	l.have("milan", namespaceNamed("shortcuts"))
	p := l.project(t, endAt(turinsKey, "milan", "turin", keyOfTurin+"\n"+`namespace = "shortcuts"`))
	p.apply()
	p.has(turinsKey, "shortcuts", "namespace")
	p.configure(withTurinsKey("milan")).apply().does("replace", turinsKey).plans(turinsKey, unknown, "namespace")
	p.has(turinsKey, "liqo-tenant-turin", "namespace")
}
