package packets

import (
	"fmt"
	"slices"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestAccPacketsCrossAgainAfterTheClustersOwnTroubles(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "milan", acctest.OverNodePort)
	for _, trouble := range []struct {
		name    string
		happens func(cluster string)
		after   func()
	}{
		{"the gateway's pod is deleted", func(cluster string) {
			lab.RenewGateway(t, cluster)
			p.ComesBack()
		}, p.Works},
		// Liqo writes its firewall rules again at some time after a restart of its controllers or of the API server. A flow
		// that begins at that moment is lost, so not every single ping arrives.
		{"Liqo's controllers are stopped and started", func(cluster string) {
			lab.Set(t, cluster, "liqo=stopped")
			lab.Set(t, cluster, "liqo=running")
		}, p.ComesBack},
		{"the API server is stopped and started", func(cluster string) {
			lab.Command(t, "stop-apiserver", cluster)
			lab.Command(t, "start-apiserver", cluster)
		}, p.ComesBack},
	} {
		for _, cluster := range []string{"milan", "rome"} {
			p.During(trouble.name+" on "+cluster, func() { trouble.happens(cluster) })
			trouble.after()
		}
	}
	p.Run("plan", "-detailed-exitcode") // nothing is left to repair
}

func TestAccPacketsCrossAgainAfterANodeGetsAnotherAddress(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	home, elsewhere := lab.NodeAddress(t, "milan"), lab.Cluster(t, "milan").NATIP // both lead to the node
	call := func(address string) {
		lab.PatchStatus(t, "milan", acctest.Named(&corev1.Node{}, "", "milan-node"),
			fmt.Sprintf(`{"status":{"addresses":[{"type":"InternalIP","address":%q}]}}`, address))
	}
	t.Cleanup(func() { call(home) })
	p := lab.Join(t, "milan", acctest.OverNodePort)
	before := parts(t, lab)
	p.During("Milan's node gets another address, and an apply follows", func() {
		call(elsewhere)
		lab.DeleteFromTenant(t, "milan", &corev1.Pod{})
		acctest.Await(t, lab.Lab, "milan", &networkingv1beta1.GatewayServerList{}, "rome",
			func(gateway *networkingv1beta1.GatewayServer) bool {
				return gateway.Status.Endpoint != nil && slices.Equal(gateway.Status.Endpoint.Addresses, []string{elsewhere})
			})
		acctest.Says(t, p.Run("apply", "-auto-approve"), acctest.InPlace)
	})
	p.Works()
	acctest.Says(t, p.Run("state", "show", acctest.RomeMilan), elsewhere)
	touched := differences(before, parts(t, lab))
	if !slices.Equal(touched, []string{serverAddress, serverPod, clientPod}) {
		t.Errorf("the move of the gateway's pod touches %q", touched)
	}
}

// soon is after the next ping of a gateway, which comes every two seconds, and after a handshake that WireGuard has to
// repeat. It is before a gateway notices that nobody answers, after 15 seconds.
const soon = 10 * time.Second

// interruptedBriefly fails the test unless packets cross again soon after an event that nobody reacts to, and nothing
// is left to repair.
func interruptedBriefly(p *acctest.PacketPair, name string, happens func()) {
	p.T.Helper()
	result := p.Measure(name, acctest.Briefly, func() {
		happens()
		p.ComesBack()
	})
	if silence := time.Duration(result.Silence * float64(time.Millisecond)); silence > soon {
		p.T.Errorf("%s: no answer for %s", name, silence)
	}
	p.Works()
	acctest.DoesNotSay(p.T, p.Run("plan", "-detailed-exitcode"), "Warning: The tunnel")
}

func TestAccPacketsComeBackOnTheirOwnWhenTheClientsNATGetsAnotherAddress(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "milan", acctest.OverNodePort+fmt.Sprintf(`
		client_gateway = { server_address = %q }`, lab.Cluster(t, "milan").NATIP))
	interruptedBriefly(p, "the client's NAT gets another address", func() { lab.Command(t, "renew-nat") })

	t.Log("Only the server's pods send.")
	lab.Command(t, "renew-nat")
	lab.ReachesSoon(t, "milan", p.RomeAt)
}

func TestAccPacketsStopForAMomentWhenAGatewayLooksAtItsKeyAgain(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "milan", acctest.OverNodePort)
	for cluster := range acctest.Other {
		// As in the guide: a gateway also does so every nine to eleven hours, without a change.
		interruptedBriefly(p, "the gateway of "+cluster+" looks at its PublicKey again", func() {
			lab.PatchInTenant(t, cluster, &networkingv1beta1.PublicKey{}, `{"metadata":{"annotations":{"looks":"again"}}}`)
		})
	}
}

func TestAccPacketsThatALinkLosesAreSeenAndComeBackWithItOnTheirOwn(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "milan", acctest.OverNodePort)
	link := lab.Link(t, "rome", "milan")
	view := lab.Written(t, lab.Contexts(acctest.DataRomeMilan+`
		output "status" {
		  value = data.liqo_shortcut.rome_milan.status
		}`))
	is := func(status string) {
		t.Helper()
		p.Run("apply", "-refresh-only", "-auto-approve")
		acctest.Says(t, p.Run("state", "show", acctest.RomeMilan), fmt.Sprintf("status = %q", status))
		acctest.Says(t, view.Run("apply", "-auto-approve"), fmt.Sprintf("status = %q", status))
	}
	is("Connected")

	p.During("the link is cut until both leaves notice, and is healed", func() {
		link("--down")
		lab.GoesDown(t)
		p.Parted()
		// The plan fails if it would change anything.
		acctest.Says(t, p.Run("plan", "-detailed-exitcode"), `Warning: The tunnel from "rome" to "milan" is down`)
		is("Error")

		link("--up")
		lab.ComesUp(t)
	})
	p.Works()
	acctest.DoesNotSay(t, p.Run("plan", "-detailed-exitcode"), "Warning:")
	is("Connected")
}

// Liqo learns of a new pod long after its tunnel is up, and only then leads the nodes to it.
func TestAccPacketsCrossAfterAChangeAlthoughPodsAreReportedLate(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "milan", acctest.OverNodePort)
	for _, leaf := range []string{"rome", "milan"} {
		lab.Set(t, leaf, "gateway-reported-after=5s")
	}
	p.Configure(acctest.OverNodePort + "\nmtu = 1300")
	p.Update()
	for leaf, other := range acctest.Other {
		tenant := "liqo-tenant-" + other
		fabric := acctest.Get[networkingv1beta1.InternalFabric](t, lab.Lab, leaf, tenant, other)
		led := slices.MaxFunc(fabric.ManagedFields, func(a, b metav1.ManagedFieldsEntry) int {
			return a.Time.Compare(b.Time.Time)
		}).Time
		routes := acctest.Get[networkingv1beta1.RouteConfiguration](t, lab.Lab, leaf, tenant, other+"-node-gw")
		renewed, err := time.Parse(time.RFC3339, routes.Annotations[owner.ManagedBy+"/routes"])
		acctest.Must(t, err)
		if renewed.Before(led.Time) {
			t.Errorf("%s: the nodes renewed their routes at %s, and Liqo led them to the new pod at %s", leaf, renewed, led)
		}
	}
	lab.ReachesSoon(t, "rome", p.ServerAt)
	lab.ReachesSoon(t, "milan", p.RomeAt)
}

func TestAccPacketsCrossAfterAChangeOfTheAnnouncedRanges(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	for server, remapping := range map[string]string{"milan": "forbid", "europe": "allow"} {
		settings := fmt.Sprintf("%s\ncidr_remapping = %q\n", acctest.OverNodePort, remapping)
		p := lab.Join(t, server, settings)
		p.Works()
		part, other := lab.Halves(t, server)
		for _, ranges := range []struct{ name, announced string }{
			{"a part of its pods", fmt.Sprintf("server_network = { pod_cidrs = [%q] }", part)},
			{"all its pods again", ""},
		} {
			p.Configure(settings + ranges.announced)
			p.During(fmt.Sprintf("%s announces %s, remapping: %s", server, ranges.name, remapping), func() {
				p.Update() // fails if the remapping in the state is not one of the announced ranges
			})
			p.Works()
			if remapped := p.ServerAt != lab.Pods[server]; remapped != (remapping == "allow") {
				t.Errorf("the pod of %s is at %s", server, p.ServerAt)
			}
		}
		// Liqo needs another Configuration for another range of the same size. In the former one, the pod has no address.
		const announced = "%s\nserver_network = { pod_cidrs = [%q] }"
		p.Write("main.tf", lab.Between(server, fmt.Sprintf(announced, settings, other)))
		p.Run("apply", "-auto-approve")
		p.Configure(fmt.Sprintf(announced, settings, part))
		p.Update()
		p.Works()
		p.Run("destroy", "-auto-approve")
	}
}
