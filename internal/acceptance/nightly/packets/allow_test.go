package packets

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/apis/networking/v1beta1/firewall"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccPacketsOfConnectionsThatNoRuleAllowsDoNotCross(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	for _, server := range []string{"milan", "europe"} { // Liqo remaps Europe's range, and not Milan's
		p := lab.Join(t, server, acctest.OverNodePort)
		for _, test := range []struct {
			allow            string
			toServer, toRome crossing
		}{
			{``, crossing{true, true}, crossing{true, true}},
			{`allow = []`, crossing{}, crossing{}},
			{`allow = [{ to = "server" }]`, crossing{true, true}, crossing{}},
			{`allow = [{ to = "client" }]`, crossing{}, crossing{true, true}},
			{`allow = [{ to = "server", protocol = "tcp", port = 80 }]`, crossing{tcp: true}, crossing{}},
			{`allow = [{ to = "server", protocol = "tcp", port = 81 }]`, crossing{}, crossing{}},
			{`allow = [{ to = "server", protocol = "tcp", port = 70, end_port = 90 }]`, crossing{tcp: true}, crossing{}},
			{`allow = [{ to = "server", protocol = "udp" }]`, crossing{}, crossing{}},
			{`allow = [{ to = "server", protocol = "icmp" }]`, crossing{ping: true}, crossing{}},
			{`allow = [{ to = "server", protocol = "tcp" }, { to = "client", protocol = "icmp" }]`,
				crossing{tcp: true}, crossing{ping: true}},
			{fmt.Sprintf(`allow = [{ to = "server", cidrs = ["%s/32"] }]`, lab.Pods[server]), crossing{true, true}, crossing{}},
			{fmt.Sprintf(`allow = [{ to = "server", cidrs = [%q] }]`, otherHalf(t, lab, server)), crossing{}, crossing{}},
		} {
			p.Configure(acctest.OverNodePort + "\n" + test.allow)
			p.Update()
			p.Run("plan", "-detailed-exitcode")
			if got := tries(t, lab, "rome", p.ServerAt); got != test.toServer {
				t.Errorf("%s, %q: from Rome %+v", server, test.allow, got)
			}
			if got := tries(t, lab, server, p.RomeAt); got != test.toRome {
				t.Errorf("%s, %q: to Rome %+v", server, test.allow, got)
			}
		}
		p.Run("destroy", "-auto-approve")
	}
}

// crossing is what is answered.
type crossing struct{ tcp, ping bool }

func tries(t *testing.T, l *acctest.RealLab, from, address string) crossing {
	t.Helper()
	web := l.Probe(t, "http", from, "http://"+address, "--count=2", "--timeout=1s")
	echo := l.Probe(t, "ping", from, address, "--count=2", "--timeout=1s")
	return crossing{web.Received > 0, echo.Received > 0}
}

func otherHalf(t *testing.T, l *acctest.RealLab, cluster string) string {
	t.Helper()
	_, without := halves(t, l, cluster)
	return without
}

func TestAccPacketsThatMayNotCrossDoNotWhateverHappensToTheGateways(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	home, away := lab.Pods["rome"], lab.Pods["milan"] // nothing is remapped between them
	before := map[string]int{"rome": echoesAt(t, lab, "rome"), "milan": echoesAt(t, lab, "milan")}
	toMilan := lab.StartProbe(t, "ping", "rome", away, "--count=1000000", "--interval=20ms", "--timeout=50ms")
	toRome := lab.StartProbe(t, "ping", "milan", home, "--count=1000000", "--interval=20ms", "--timeout=50ms")
	const web = `allow = [{ to = "server", protocol = "tcp", port = 80 }`
	p := lab.Join(t, "milan", acctest.OverNodePort+"\n"+web+"]")
	for _, step := range []string{web + `, { to = "client", protocol = "udp" }]`, web + `]
		key_rotation = "second"`} {
		p.Configure(acctest.OverNodePort + "\n" + step)
		p.Update()
	}
	for _, cluster := range []string{"milan", "rome"} {
		renewGateway(t, lab, cluster)
		p.Run("apply", "-auto-approve", "-refresh-only")
		web := lab.Probe(t, "http", "rome", "http://"+p.ServerAt, "--until-answer", "--count=300", "--timeout=200ms")
		if web.Received == 0 {
			t.Errorf("what may cross does not, after the gateway of %s is another one: %+v", cluster, web)
		}
	}
	p.Run("destroy", "-auto-approve")
	for name, result := range map[string]acctest.ProbeResult{
		"to Milan": toMilan(os.Interrupt), "to Rome": toRome(os.Interrupt),
	} {
		if result.Sent < 100 || result.Received > 0 {
			t.Errorf("%s: %+v", name, result)
		}
	}
	for cluster, echoes := range before { // an answer that is lost on its way back would hide that a ping has crossed
		if now := echoesAt(t, lab, cluster); now != echoes {
			t.Errorf("%d pings arrived at %s", now-echoes, cluster)
		}
	}
}

func TestAccPacketsThatMayNotCrossAreStoppedByEitherGatewayWhileTheOtherOneHasNoRules(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	settings := acctest.OverNodePort + "\n" + `allow = [{ to = "server", protocol = "tcp", port = 80 }]`
	p := lab.Join(t, "europe", settings) // whose range Liqo remaps
	for _, without := range []struct{ cluster, other string }{{"rome", "europe"}, {"europe", "rome"}} {
		emptyRules(t, lab.Lab, without.cluster, without.other)
		before := echoesAt(t, lab, without.cluster)
		if got := tries(t, lab, "rome", p.ServerAt); got != (crossing{tcp: true}) {
			t.Errorf("without the rules of %s: from Rome %+v", without.cluster, got)
		}
		if got := tries(t, lab, "europe", p.RomeAt); got != (crossing{}) {
			t.Errorf("without the rules of %s: to Rome %+v", without.cluster, got)
		}
		if now := echoesAt(t, lab, without.cluster); now != before { // an answer may be lost where its request was not
			t.Errorf("%d pings arrived at %s, which has no rules", now-before, without.cluster)
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

var icmpCounters = regexp.MustCompile(`(?m)^Icmp:(?: \d+){8} (\d+)`)

// echoesAt returns how many echo requests the kernel of a cluster's pod has received.
func echoesAt(t *testing.T, l *acctest.RealLab, cluster string) int {
	t.Helper()
	counters, err := acctest.Output(acctest.LabProgram, "exec", cluster+"/default/a", "--dir", l.Dir, "--", "cat",
		"/proc/net/snmp")
	if err != nil {
		t.Fatal(err)
	}
	match := icmpCounters.FindStringSubmatch(counters)
	if match == nil {
		t.Fatalf("no counters of ICMP in %s", counters)
	}
	echoes, err := strconv.Atoi(match[1])
	if err != nil {
		t.Fatal(err)
	}
	return echoes
}
