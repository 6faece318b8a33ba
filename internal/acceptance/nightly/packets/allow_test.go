package packets

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/apis/networking/v1beta1/firewall"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// olderLiqo is a release of the oldest minor version whose gateways can drop packets.
const olderLiqo = ",liqo=v1.1.2"

// limitingPlanes are [acctest.Plane], the same with the older Liqo on the two clusters between which nothing is
// remapped, and with both. In the latter, Rome's older gateway meets a newest one without remapping, and an older one
// with it.
var limitingPlanes = map[string][]string{
	"newest": acctest.Plane,
	"older":  limitingPlane("", olderLiqo, olderLiqo),
	"mixed":  limitingPlane(olderLiqo, olderLiqo, ""),
}

func limitingPlane(europe, rome, milan string) []string {
	return []string{
		"--dataplane=real", "--cluster=europe=10.202.0.0/16" + europe, "--cluster=rome=10.202.0.0/16" + rome,
		"--cluster=milan=10.203.0.0/16" + milan,
	}
}

// onEachLiqo runs a test on labs with the newest Liqo, with an older one, and with both. A short run has the last lab
// only, where gateways of both versions enforce rules.
func onEachLiqo(t *testing.T, test func(*testing.T, *acctest.RealLab)) {
	t.Helper()
	for name, plane := range limitingPlanes {
		if testing.Short() && name != "mixed" {
			continue
		}
		t.Run(name, func(t *testing.T) { test(t, acctest.BorrowReal(t, plane)) })
	}
}

func TestAccPacketsOfConnectionsThatNoRuleAllowsDoNotCross(t *testing.T) {
	onEachLiqo(t, func(t *testing.T, lab *acctest.RealLab) {
		t.Helper()
		for _, server := range []string{"milan", "europe"} { // Liqo remaps Europe's range, and not Milan's
			p := lab.Join(t, server, acctest.OverNodePort)
			for _, test := range append(eachCell(t, lab, server), []allowed{
				{``, crossing{true, true, true}, crossing{true, true, true}},
				{`allow = []`, crossing{}, crossing{}},
				{`allow = [{ to = "server" }, { to = "client", protocol = "tcp", port = 70, end_port = 90 }]`,
					crossing{true, true, true}, crossing{tcp: true}},
				{fmt.Sprintf(`allow = [{ to = "server", protocol = "udp" }, { to = "client", cidrs = ["%s/32"] }]`,
					lab.Pods["rome"]), crossing{udp: true}, crossing{true, true, true}},
			}...) {
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

// allowed is a setting, and what crosses with it.
type allowed struct {
	allow            string
	toServer, toRome crossing
}

// crossing is what is answered. Pods answer on port 80.
type crossing struct{ tcp, udp, ping bool }

// eachCell returns settings in which each protocol in each direction is allowed once, once on another port only, and
// once to another range only. In each of the settings, the protocols and directions differ in that.
func eachCell(t *testing.T, lab *acctest.RealLab, server string) []allowed {
	t.Helper()
	var all []allowed
	for shift := range 3 {
		var rules []string
		one := allowed{}
		for i, to := range []string{"server", "client"} {
			its, other := halves(t, lab, map[string]string{"server": server, "client": "rome"}[to])
			cross := map[string]*crossing{"server": &one.toServer, "client": &one.toRome}[to]
			for j, protocol := range []struct {
				name    string
				crosses *bool
			}{{"tcp", &cross.tcp}, {"udp", &cross.udp}, {"icmp", &cross.ping}} {
				cell := (shift + i + j) % 3
				*protocol.crosses = cell == 0
				port := fmt.Sprintf(", port = %d", []int{80, 81, 80}[cell])
				switch {
				case protocol.name == "icmp" && cell == 1:
					continue // it has no ports
				case protocol.name == "icmp":
					port = ""
				}
				rules = append(rules, fmt.Sprintf("{ to = %q, protocol = %q%s, cidrs = [%q] }", to, protocol.name, port,
					[]string{its, its, other}[cell]))
			}
		}
		one.allow = "allow = [" + strings.Join(rules, ", ") + "]"
		all = append(all, one)
	}
	return all
}

// tries begins to try each protocol from a cluster's pod. The function that it returns says what is answered.
func tries(t *testing.T, l *acctest.RealLab, from, address string) func() crossing {
	t.Helper()
	start := func(kind, target string) func(...os.Signal) acctest.ProbeResult {
		return l.StartProbe(t, kind, from, target, "--count=2", "--timeout=2s")
	}
	web, datagrams, echo := start("http", "http://"+address), start("udp", address), start("ping", address)
	return func() crossing { return crossing{web().Received > 0, datagrams().Received > 0, echo().Received > 0} }
}

func TestAccPacketsThatMayNotCrossDoNotWhateverHappensToTheGateways(t *testing.T) {
	onEachLiqo(t, func(t *testing.T, lab *acctest.RealLab) {
		t.Helper()
		nothingCrossed := forbidden(t, lab)
		const open = `allow = [{ to = "server" }`
		p := lab.Join(t, "milan", acctest.OverNodePort+"\n"+open+"]")
		answers := rulesChange(p, open)
		p.Configure(acctest.OverNodePort + "\n" + open + `]
			key_rotation = "second"`)
		p.Update()
		for _, cluster := range []string{"milan", "rome"} {
			renewGateway(t, lab, cluster)
			p.Run("apply", "-auto-approve", "-refresh-only")
			lab.ReachesSoon(t, "rome", p.ServerAt)
		}
		p.Run("destroy", "-auto-approve")
		nothingCrossed(answers)
	})
}

func TestAccPacketsThatMayNotCrossDoNotWhenAStandbyTakesOverOrLiqoIsUpdated(t *testing.T) {
	f := newFailover(t, `
		server_gateway = { service_type = "LoadBalancer", pods = { replicas = 2, failover = "4s" } }
		client_gateway = { pods = { replicas = 2, failover = "4s" } }
		allow = [{ to = "server", protocol = "tcp", port = 80 }]`)
	nothingCrossed := forbidden(t, f.Lab)
	crosses := func() {
		t.Helper()
		web := f.Lab.Probe(t, "http", "rome", "http://"+f.ServerAt, "--until-answer", "--count=300", "--timeout=200ms")
		if web.Received == 0 {
			t.Errorf("what may cross does not: %+v", web)
		}
	}
	for _, cluster := range []string{"milan", "rome"} {
		active := f.Lab.ActivePod(t, cluster, nil)
		if err := f.Lab.Client(t, cluster).Delete(t.Context(), active); err != nil {
			t.Fatal(err)
		}
		f.Lab.ActivePod(t, cluster, active)
		crosses()
		f.updateTemplate(cluster)
		f.Run("apply", "-auto-approve")
		crosses()
	}
	nothingCrossed(0)
}

// forbidden lets Milan's pod send to Rome's all the time. Liqo remaps neither. The function that it returns fails the
// test if anything has arrived, but for answers that Rome's pod has got to its own datagrams.
func forbidden(t *testing.T, lab *acctest.RealLab) func(answers int) {
	t.Helper()
	home := lab.Pods["rome"]
	before := arrivals(t, lab, "rome")
	probes := map[string]func(...os.Signal) acctest.ProbeResult{}
	for kind, target := range map[string]string{"ping": home, "udp": home, "http": "http://" + home} {
		probes[kind] = lab.StartProbe(t, kind, "milan", target, "--count=1000000", "--interval=20ms", "--timeout=50ms")
	}
	return func(answers int) {
		t.Helper()
		for kind, end := range probes {
			result := end(os.Interrupt)
			t.Logf("%s to Rome: %d of %d are answered", kind, result.Received, result.Sent)
			if result.Sent < 500 || result.Received > 0 { // for a minute, at least
				t.Errorf("%s to Rome: %+v", kind, result)
			}
		}
		before[datagramsIn] += answers
		// An answer that is lost on its way back would hide that a packet has crossed.
		if now := arrivals(t, lab, "rome"); !slices.Equal(now, before) {
			t.Errorf("packets arrived at Rome: the kernel counts %v, expected %v", now, before)
		}
	}
}

func TestAccPacketsThatMayNotCrossAreStoppedByEitherGatewayWhileTheOtherOneHasNoRules(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	settings := acctest.OverNodePort + "\n" + `allow = [{ to = "server", protocol = "tcp", port = 80 }]`
	p := lab.Join(t, "europe", settings) // whose range Liqo remaps
	for _, without := range []struct{ cluster, other string }{{"rome", "europe"}, {"europe", "rome"}} {
		emptyRules(t, lab.Lab, without.cluster, without.other)
		before := arrivals(t, lab, without.cluster)[:connectionsIn]
		there, back := tries(t, lab, "rome", p.ServerAt), tries(t, lab, "europe", p.RomeAt)
		if got := there(); got != (crossing{tcp: true}) {
			t.Errorf("without the rules of %s: from Rome %+v", without.cluster, got)
		}
		if got := back(); got != (crossing{}) {
			t.Errorf("without the rules of %s: to Rome %+v", without.cluster, got)
		}
		if now := arrivals(t, lab, without.cluster)[:connectionsIn]; !slices.Equal(now, before) {
			t.Errorf("packets arrived at %s, which has no rules: the kernel counts %v, before %v", without.cluster, now, before)
		}
		p.Run("apply", "-auto-approve")
	}
}

// emptyRules makes a cluster's gateway for another one drop its rules, as one that has not read them yet.
func emptyRules(t *testing.T, l *acctest.Lab, cluster, other string) {
	t.Helper()
	c := l.Administrator(t, cluster)
	rules := &networkingv1beta1.FirewallConfiguration{}
	key := client.ObjectKey{Namespace: "liqo-tenant-" + other, Name: other + "-allow"}
	if err := c.Get(t.Context(), key, rules); err != nil {
		t.Fatal(err)
	}
	rules.Spec.Table.Chains = []firewall.Chain{}
	if err := c.Update(t.Context(), rules); err != nil {
		t.Fatal(err)
	}
	rules.Status.Conditions = nil // which Liqo would not renew
	if err := c.Status().Update(t.Context(), rules); err != nil {
		t.Fatal(err)
	}
	acctest.Await(t, l, cluster, &networkingv1beta1.FirewallConfigurationList{}, rules.Name,
		func(rules *networkingv1beta1.FirewallConfiguration) bool { return len(rules.Status.Conditions) > 0 })
}

// rulesChange changes rules for a minute, and fails the test if one packet is lost that may cross before and after. It
// returns how many datagrams were answered.
func rulesChange(p *acctest.PacketPair, open string) (datagrams int) {
	p.T.Helper()
	p.Lab.ReachesSoon(p.T, "rome", p.ServerAt)
	before := arrivals(p.T, p.Lab, p.Server)
	may := map[string]func(...os.Signal) acctest.ProbeResult{}
	for kind, target := range map[string]string{"ping": p.ServerAt, "udp": p.ServerAt, "http": "http://" + p.ServerAt} {
		may[kind] = p.Lab.StartProbe(p.T, kind, "rome", target, "--count=1000000", "--interval=20ms", acctest.Patiently)
	}
	changes := 0
	for began := time.Now(); time.Since(began) < time.Minute; changes++ {
		more := []string{`, { to = "client", protocol = "udp", port = 81 }`, ""}[changes%2]
		p.Configure(acctest.OverNodePort + "\n" + open + more + "]")
		acctest.Says(p.T, p.Run("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed")
	}
	for kind, end := range may {
		result := end(os.Interrupt)
		p.T.Logf("%s to the server: %d of %d are lost through %d changes of rules", kind, result.Lost, result.Sent, changes)
		if result.Lost > 0 || result.Received == 0 { // the counters say on which way
			p.T.Errorf("%s to the server: %+v; its pod counted %v before, and now %v", kind, result, before,
				arrivals(p.T, p.Lab, p.Server))
		}
		if kind == "udp" {
			datagrams = result.Received
		}
	}
	return datagrams
}

// The places of the second and the last one of the counters.
const datagramsIn, connectionsIn = 1, 3

// arrived are the counters of the kernel for echo requests, for datagrams to a port that is open and to another one,
// and for connections that others have opened.
var arrived = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^Icmp:(?: \d+){8} (\d+)`), regexp.MustCompile(`(?m)^Udp: (\d+)`),
	regexp.MustCompile(`(?m)^Udp: \d+ (\d+)`), regexp.MustCompile(`(?m)^Tcp:(?: -?\d+){5} (\d+)`),
}

// arrivals returns how much the kernel of a cluster's pod has received.
func arrivals(t *testing.T, l *acctest.RealLab, cluster string) []int {
	t.Helper()
	counters, err := acctest.Output(acctest.LabProgram, "exec", cluster+"/default/a", "--dir", l.Dir, "--", "cat",
		"/proc/net/snmp")
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for _, counter := range arrived {
		match := counter.FindStringSubmatch(counters)
		if match == nil {
			t.Fatalf("no counter %s in %s", counter, counters)
		}
		count, err := strconv.Atoi(match[1])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, count)
	}
	return all
}
