package allow

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/apis/networking/v1beta1/firewall"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m, acctest.WithTenantNamespaces) }

// onEachLiqo runs a test on labs like [acctest.Plane]: with the newest Liqo, with an older one on the two clusters
// between which nothing is remapped, and with both. In the latter, Rome's older gateway meets a newest one without
// remapping, and an older one with it. A short run has this lab only. The older release is one of the oldest minor
// version whose gateways can drop packets.
func onEachLiqo(t *testing.T, test func(*testing.T, *acctest.RealLab)) {
	t.Helper()
	const older = ",liqo=v1.1.2"
	for name, versions := range map[string][3]string{
		"newest": {}, "older": {"", older, older}, "mixed": {older, older, ""},
	} {
		if testing.Short() && name != "mixed" {
			continue
		}
		plane := slices.Clone(acctest.Plane)
		for i, version := range versions {
			plane[len(plane)-3+i] += version
		}
		t.Run(name, func(t *testing.T) { test(t, acctest.BorrowReal(t, plane)) })
	}
}

// crossing is what is answered. Pods answer on port 80.
type crossing struct{ tcp, udp, ping bool }

func TestAccPacketsOfConnectionsThatNoRuleAllowsDoNotCross(t *testing.T) {
	type allowed struct {
		allow            string
		toServer, toRome crossing
	}
	onEachLiqo(t, func(t *testing.T, lab *acctest.RealLab) {
		t.Helper()
		for _, server := range []string{"milan", "europe"} { // Liqo remaps Europe's range, and not Milan's
			tests := []allowed{
				{``, crossing{true, true, true}, crossing{true, true, true}},
				{`allow = []`, crossing{}, crossing{}},
				{`allow = [{ to = "server" }, { to = "client", protocol = "TCP", port = 70, end_port = 90 }]`,
					crossing{true, true, true}, crossing{tcp: true}},
				{fmt.Sprintf(`allow = [{ to = "server", protocol = "UDP" }, { to = "client", cidrs = ["%s/32"] }]`,
					lab.Pods["rome"]), crossing{udp: true}, crossing{true, true, true}},
			}
			// Each protocol in each direction is allowed once, once on another port only, which pings do not have, and once to
			// another range only.
			its, notIts := lab.Halves(t, server)
			romes, notRomes := lab.Halves(t, "rome")
			rule := func(to, protocol, port, cidr string) string {
				return fmt.Sprintf("{ to = %q, protocol = %q, cidrs = [%q]%s },", to, protocol, cidr, port)
			}
			const usual, another = ", port = 80", ", port = 81"
			tests = append(tests, allowed{
				"allow = [" + rule("server", "TCP", usual, its) + rule("client", "TCP", another, romes) +
					rule("server", "UDP", another, its) + rule("client", "UDP", usual, notRomes) +
					rule("server", "ICMP", "", notIts) + rule("client", "ICMP", "", romes) + "]",
				crossing{tcp: true}, crossing{ping: true},
			}, allowed{
				"allow = [" + rule("server", "TCP", another, its) + rule("client", "TCP", usual, notRomes) +
					rule("server", "UDP", usual, notIts) + rule("client", "UDP", usual, romes) +
					rule("server", "ICMP", "", its) + "]",
				crossing{ping: true}, crossing{udp: true},
			}, allowed{
				"allow = [" + rule("server", "TCP", usual, notIts) + rule("client", "TCP", usual, romes) +
					rule("server", "UDP", usual, its) + rule("client", "UDP", another, romes) +
					rule("client", "ICMP", "", notRomes) + "]",
				crossing{udp: true}, crossing{tcp: true},
			})
			p := lab.Join(t, server, acctest.OverNodePort)
			for _, test := range tests {
				p.Configure(acctest.OverNodePort + "\n" + test.allow)
				p.Update()
				there, back := tries(t, lab, "rome", p.ServerAt), tries(t, lab, server, p.RomeAt)
				if got := there(); got != test.toServer {
					t.Errorf("%s, %s: from Rome %+v", server, test.allow, got)
				}
				if got := back(); got != test.toRome {
					t.Errorf("%s, %s: to Rome %+v", server, test.allow, got)
				}
			}
			p.Run("plan", "-detailed-exitcode")
			p.Run("destroy", "-auto-approve")
		}
	})
}

// tries begins to try each protocol from a cluster's pod. The function that it returns says what is answered.
func tries(t *testing.T, l *acctest.RealLab, from, address string) func() crossing {
	t.Helper()
	start := func(kind, target string) acctest.Ending {
		return l.StartProbe(t, kind, from, target, "--count=2", "--timeout=2s")
	}
	web, datagrams, echo := start("http", "http://"+address), start("udp", address), start("ping", address)
	return func() crossing { return crossing{web().Received > 0, datagrams().Received > 0, echo().Received > 0} }
}

func TestAccPacketsThatMayNotCrossDoNotWhateverHappensToTheGateways(t *testing.T) {
	onEachLiqo(t, func(t *testing.T, lab *acctest.RealLab) {
		t.Helper()
		nothingCrossed := forbidden(t, lab)
		const open = acctest.OverNodePort + "\n" + `allow = [{ to = "server" }`
		p := lab.Join(t, "milan", open+"]")

		t.Log("Rules change all the time. No packet is lost that may cross before and after.")
		lab.ReachesSoon(t, "rome", p.ServerAt)
		before := arrivals(t, lab, "milan")
		may := map[string]acctest.Ending{}
		for kind, target := range map[string]string{"ping": p.ServerAt, "udp": p.ServerAt, "http": "http://" + p.ServerAt} {
			may[kind] = lab.StartProbe(t, kind, "rome", target, "--count=1000000", "--interval=20ms", acctest.Patiently)
		}
		lasting := acctest.OrShort(time.Minute, 15*time.Second)
		changes, answers := 0, 0
		for began := time.Now(); time.Since(began) < lasting; changes++ {
			more := []string{`, { to = "client", protocol = "UDP", port = 81 }`, ""}[changes%2]
			p.Configure(open + more + "]")
			acctest.Says(t, p.Run("apply", "-auto-approve"), acctest.InPlace)
		}
		for kind, end := range may {
			result := end(os.Interrupt)
			t.Logf("%s to the server: %d of %d are lost through %d changes of rules", kind, result.Lost, result.Sent, changes)
			if result.Lost > 0 || result.Received == 0 { // the counters say on which way
				t.Errorf("%s to the server: %+v; its pod counted %+v before, and now %+v", kind, result, before,
					arrivals(t, lab, "milan"))
			}
			if kind == "udp" {
				answers = result.Received
			}
		}

		p.Configure(open + `]
			key_rotation_trigger = "second"`)
		p.Update()
		for _, cluster := range []string{"milan", "rome"} {
			lab.RenewGateway(t, cluster)
			p.Run("apply", "-auto-approve", "-refresh-only")
			lab.ReachesSoon(t, "rome", p.ServerAt)
		}
		p.Run("destroy", "-auto-approve")
		nothingCrossed(answers)
	})
}

func TestAccPacketsThatMayNotCrossAreStoppedByEitherGatewayWhileTheOtherOneHasNoRules(t *testing.T) {
	onEachLiqo(t, func(t *testing.T, lab *acctest.RealLab) {
		t.Helper()
		for _, server := range []string{"milan", "europe"} {
			p := lab.Join(t, server, acctest.OverNodePort+"\n"+`allow = [{ to = "server", protocol = "TCP", port = 80 }]`)
			for _, without := range []struct{ cluster, other string }{{"rome", server}, {server, "rome"}} {
				dropRules(t, lab, without.cluster, without.other)
				before := arrivals(t, lab, without.cluster)
				there, back := tries(t, lab, "rome", p.ServerAt), tries(t, lab, server, p.RomeAt)
				if got := there(); got != (crossing{tcp: true}) {
					t.Errorf("%s, without the rules of %s: from Rome %+v", server, without.cluster, got)
				}
				if got := back(); got != (crossing{}) {
					t.Errorf("%s, without the rules of %s: to Rome %+v", server, without.cluster, got)
				}
				now := arrivals(t, lab, without.cluster)
				if before.connections = now.connections; now != before {
					t.Errorf("packets arrived at %s, which has no rules: the kernel counts %+v, before %+v", without.cluster, now,
						before)
				}
				p.Run("apply", "-auto-approve")
			}
			p.Run("destroy", "-auto-approve")
		}
	})
}

// dropRules lets the gateway of a cluster for another one drop its rules, as one that has not read them yet.
func dropRules(t *testing.T, lab *acctest.RealLab, cluster, other string) {
	t.Helper()
	c := lab.Client(t, cluster)
	rules := acctest.Get[networkingv1beta1.FirewallConfiguration](
		t, lab.Lab, cluster, "liqo-tenant-"+other, other+"-allow")
	rules.Spec.Table.Chains = []firewall.Chain{}
	acctest.Must(t, c.Update(t.Context(), rules))
	rules.Status.Conditions = nil // which Liqo would not renew
	acctest.Must(t, c.Status().Update(t.Context(), rules))
	acctest.Await(t, lab.Lab, cluster, &networkingv1beta1.FirewallConfigurationList{}, rules.Name,
		func(rules *networkingv1beta1.FirewallConfiguration) bool { return len(rules.Status.Conditions) > 0 })
}

func TestAccPacketsThatMayNotCrossDoNotWhenAStandbyTakesOverOrLiqoIsUpdated(t *testing.T) {
	p := acctest.JoinTwoNodes(t, `
		server_gateway = { service_type = "LoadBalancer", pods = { replicas = 2, lease_duration = "4s" } }
		client_gateway = { pods = { replicas = 2, lease_duration = "4s" } }
		allow = [{ to = "server", protocol = "TCP", port = 80 }]`)
	nothingCrossed := forbidden(t, p.Lab)
	for _, cluster := range []string{"milan", "rome"} {
		active := p.Lab.ActivePod(t, cluster, nil)
		acctest.Must(t, p.Lab.Client(t, cluster).Delete(t.Context(), active))
		p.Lab.ActivePod(t, cluster, active)
		p.Lab.GetsAnswer(t, "rome", p.ServerAt)
		p.Lab.UpdateTemplate(t, cluster)
		p.Run("apply", "-auto-approve")
		p.Lab.GetsAnswer(t, "rome", p.ServerAt)
	}
	nothingCrossed(0)
}

// forbidden lets Milan's pod send to Rome's all the time. Liqo remaps neither. The function that it returns fails the
// test if anything has arrived, but for answers that Rome's pod has got to its own datagrams.
func forbidden(t *testing.T, lab *acctest.RealLab) func(answers int) {
	t.Helper()
	home := lab.Pods["rome"]
	before := arrivals(t, lab, "rome")
	probes := map[string]acctest.Ending{}
	for kind, target := range map[string]string{"ping": home, "udp": home, "http": "http://" + home} {
		probes[kind] = lab.StartProbe(t, kind, "milan", target, "--count=1000000", "--interval=20ms", "--timeout=50ms")
	}
	return func(answers int) {
		t.Helper()
		for kind, end := range probes {
			result := end(os.Interrupt)
			t.Logf("%s to Rome: %d of %d are answered", kind, result.Received, result.Sent)
			if result.Sent < 500 || result.Received > 0 {
				t.Errorf("%s to Rome: %+v", kind, result)
			}
		}
		before.datagrams += answers
		// An answer that is lost on its way back would hide that a packet has crossed.
		if now := arrivals(t, lab, "rome"); now != before {
			t.Errorf("packets arrived at Rome: the kernel counts %+v, expected %+v", now, before)
		}
	}
}

// arrived are the counters of the kernel for echo requests, for connections that others have opened, and for datagrams
// to a port that is open and to another one.
type arrived struct{ pings, connections, datagrams, strays int }

var counters = regexp.MustCompile(`(?s)\nIcmp:(?: \d+){8} (\d+).*\nTcp:(?: -?\d+){5} (\d+).*\nUdp: (\d+) (\d+)`)

// arrivals returns how much the kernel of a cluster's pod has received.
func arrivals(t *testing.T, l *acctest.RealLab, cluster string) (all arrived) {
	t.Helper()
	printed := l.Output(t, "exec", cluster+"/default/a", "--", "cat", "/proc/net/snmp")
	match := counters.FindStringSubmatch(printed)
	if match == nil {
		t.Fatalf("no counters in %s", printed)
	}
	_, err := fmt.Sscan(strings.Join(match[1:], " "), &all.pings, &all.connections, &all.datagrams, &all.strays)
	acctest.Must(t, err)
	return all
}
