package packets

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m, acctest.WithTenantNamespaces) }

func TestAccPacketsCrossBetweenLeavesWithTheSamePodCIDR(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "europe", acctest.OverNodePort)
	if p.RomeAt == lab.Pods["rome"] || p.ServerAt == lab.Pods["europe"] {
		t.Errorf("the pods of Rome and Europe are not remapped: %s, %s", p.RomeAt, p.ServerAt)
	}
	p.Works()
	lab.ReachesNot(t, "rome", lab.Pods["europe"]) // its own address is one of Rome's
	p.Run("destroy", "-auto-approve")
	p.Parted()
	p.Update() // at the same addresses, where nothing was reached before
	p.Works()
}

func TestAccPacketsCrossBetweenLeavesWithDifferentPodCIDRsAtThePodsOwnAddresses(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	lab.ReachesNot(t, "rome", lab.Pods["milan"])
	lab.ReachesNot(t, "milan", lab.Pods["rome"])
	p := lab.Join(t, "milan", acctest.OverNodePort)
	if p.RomeAt != lab.Pods["rome"] || p.ServerAt != lab.Pods["milan"] {
		t.Errorf("the pods are at %s and %s, expected %v", p.RomeAt, p.ServerAt, lab.Pods)
	}
	p.Works()
	p.Run("destroy", "-auto-approve")
	p.Parted()
}

func TestAccPacketsCrossOverALoadBalancer(t *testing.T) {
	acctest.BorrowReal(t, acctest.Plane).Join(t, "milan", "").Works()
}

func TestAccPacketsCrossAsTheShortcutAllows(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "europe", acctest.OverNodePort+`
		allow = [{ to = "server", protocol = "TCP", port = 80 }]`)
	web := lab.GetsAnswer(t, "rome", p.ServerAt)
	if web.Answer.Name != "europe/default/a" || web.Answer.Source != p.RomeAt {
		t.Errorf("Rome's pod is answered %+v", web)
	}
	lab.ReachesNot(t, "rome", p.ServerAt)
	if back := lab.Probe(t, "http", "europe", "http://"+p.RomeAt, "--count=2"); back.Received > 0 {
		t.Errorf("Europe's pod reaches Rome's: %+v", back)
	}
	p.Configure(acctest.OverNodePort)
	p.Update()
	p.Works()
}

// The pod that takes over at the second event was made when the first one was lost.
func TestAccPacketsCrossAgainWhenTheActivePodIsLostOrItsGatewayEnds(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.TwoNodes)
	// The client's gateway shows what a standby does in a fraction of the time: once it dials, packets cross. A server
	// waits until the client dials, for 15 s.
	p := lab.Join(t, "milan", acctest.OverNodePort+`
		client_gateway = { pods = { replicas = 2, lease_duration = "4s" } }`)
	active := lab.ActivePod(t, "rome", nil)
	for _, end := range []func(*corev1.Pod){
		func(pod *corev1.Pod) {
			acctest.Must(t, lab.Client(t, "rome").Delete(t.Context(), pod))
		},
		func(pod *corev1.Pod) { lab.KillIn(t, "rome", pod, "liqo-gateway") },
	} {
		leader := lab.NextLeader(t, "rome")
		end(active)
		active = leader()
		p.ComesBack()
	}
}
