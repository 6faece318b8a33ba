package protocol

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// rulesFor returns the FirewallConfiguration of what may cross on a leaf, in the tenant namespace for another one.
func rulesFor(other string) *networkingv1beta1.FirewallConfiguration {
	rules := inTenant(&networkingv1beta1.FirewallConfiguration{}, other)
	rules.Name += "-allow"
	return rules
}

// hasRules fails the test unless a leaf has rules for another one, or has none.
func (l *leaves) hasRules(name, other string, expected bool) {
	l.t.Helper()
	if has := l.hasObject(name, rulesFor(other)); has != expected {
		l.t.Errorf("%s has rules for %s: %t", name, other, has)
	}
}

const (
	milansServer = "liqo_gateway_server.rome"
	database     = `{ to = "server", protocol = "TCP", port = 5432, cidrs = ["10.203.4.0/24"] }`
	onlyDatabase = "allow = [" + database + "]"
	onPort5432   = `[{"cidrs":["10.203.4.0/24"],"end_port":null,"port":5432,"protocol":"TCP","to":"server"}]`
)

// milansEnd returns Milan's gateway for Rome, with more settings than a NodePort.
func milansEnd(settings ...string) string {
	return endAt(milansServer, "milan", "rome", "service_type = \"NodePort\"\n"+strings.Join(settings, "\n"))
}

// havingMilansGateway are the two resources that can have Milan's gateway for Rome.
var havingMilansGateway = map[string]struct {
	address, id string
	with        func(settings ...string) string // its configuration
}{
	"shortcut": {romeMilan, "rome/milan", shortcut},
	"one end":  {milansServer, "milan/rome", milansEnd},
}

func TestAGatewayOfOneEndLimitsWhatMayCross(t *testing.T) {
	l, p := applied(t, milansEnd(onlyDatabase))
	p.has(milansServer, onPort5432, "allow")

	l.patch("milan", rulesFor("rome"), `{"spec":{"table":{"chains":[]}}}`)
	p.plan().does("update", milansServer)
	p.apply()

	p.forget(milansServer)
	p.imports(milansServer, "milan/rome")
	p.has(milansServer, onPort5432, "allow")
	p.plan().isEmpty()

	p.configure(milansEnd("allow = []")).apply().does("update", milansServer)
	p.has(milansServer, "[]", "allow")
	p.configure(milansEnd()).apply().does("update", milansServer)
	l.hasRules("milan", "rome", false)

	p.configure(milansEnd(onlyDatabase)).apply()
	p.destroy()
	l.hasRules("milan", "rome", false)
}

func TestTheRulesOfAShortcutAreImportedWithAnEndAndBack(t *testing.T) {
	l, joined := applied(t, shortcut(onlyDatabase))
	p := l.project(t, milansEnd(onlyDatabase))
	p.imports(milansServer, "milan/rome")
	p.plan().isEmpty()
	joined.forget(romeMilan)
	p.configure(milansEnd("allow = [" + database + ", { to = \"client\", protocol = \"ICMP\" }]"))
	p.apply().does("update", milansServer)

	p.forget(milansServer)
	joined.imports(romeMilan, "rome/milan")
	joined.apply().does("update", romeMilan)
	joined.has(romeMilan, onPort5432, "allow")
	joined.has(romeMilan, "Connected", "status")
}

func TestDataSourcesShowWhereANetworkIsLimited(t *testing.T) {
	const topology, pair = "data.liqo_topology.all", "data.liqo_shortcut.x"
	l := leavesFor(t)
	seen := l.project(t, `data "liqo_topology" "all" {}`+shownShortcut)
	for name, test := range map[string]struct{ config, limitedAt, drawn, allow, client, server string }{
		"open": {shortcut(), "[]", `|"shortcut"|`, "null", "null", "null"},
		"limited to nothing": {
			shortcut("allow = []"), `["milan","rome"]`, `|"shortcut, limited"|`, "[]", "[]", "[]",
		},
		"limited": {
			shortcut(onlyDatabase), `["milan","rome"]`, `|"shortcut, limited"|`, onPort5432, onPort5432, onPort5432,
		},
		"limited at one end": {
			milansEnd(onlyDatabase), `["milan"]`, `|"✗ shortcut, limited at milan: Disconnected"|`, "null", "null", onPort5432,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := l.project(t, test.config)
			p.apply()
			seen.plan()
			seen.has(topology, test.limitedAt, "edges", 0, "limited_at")
			seen.draws(topology, test.drawn)
			seen.has(pair, test.allow, "allow")
			seen.has(pair, test.client, "client_end", "allow")
			seen.has(pair, test.server, "server_end", "allow")
			p.destroy()
		})
	}
}

func TestRulesThatAreLostBeforeAllowIsRemovedLeaveNothing(t *testing.T) {
	for name, resource := range havingMilansGateway {
		t.Run(name, func(t *testing.T) {
			l, p := applied(t, resource.with(onlyDatabase))
			p.configure(resource.with())
			l.lose("milan", rulesFor("rome"))
			l.writes() // only later ones
			p.apply().does("update", resource.address)
			if !slices.ContainsFunc(l.writes(), func(r clustertest.Request) bool {
				return r.Method == http.MethodPatch && strings.HasSuffix(r.Path, "/firewallconfigurations/rome-allow")
			}) {
				t.Error("the gateway is not told to drop the rules, which it has although nobody lists them")
			}
			l.hasRules("milan", "rome", false)
			p.has(resource.address, "null", "allow")
			p.configure(resource.with(onlyDatabase)).apply().does("update", resource.address)
			l.hasRules("milan", "rome", true)
			p.destroy()
			l.hasRules("milan", "rome", false)
			l.hasRules("rome", "milan", false)
		})
	}
}

func TestRulesThatSomebodyHasRemovedStayInTheStateAndComeBack(t *testing.T) {
	for name, resource := range havingMilansGateway {
		t.Run(name, func(t *testing.T) {
			l, p := applied(t, resource.with(onlyDatabase))
			l.lose("milan", rulesFor("rome"))
			planned := p.plan()
			planned.says("Warning: The rules of `allow` have been edited or removed")
			// This is what a configuration proposes that ignores changes.
			if got := shown(at(planned.change(resource.address).prior.value, "allow")); got != onPort5432 {
				t.Errorf("a refresh finds %s", got)
			}
			p.apply().does("update", resource.address)
			l.hasRules("milan", "rome", true)
			p.plan().doesNotSay("edited or removed")

			l.lose("milan", rulesFor("rome"))
			p.forget(resource.address)
			p.imports(resource.address, resource.id)
			p.plan().says("Warning: The rules of `allow` have been edited or removed").
				does("update", resource.address)
			p.apply()
			l.hasRules("milan", "rome", true)
		})
	}
}

func TestRulesOfAnotherVersionOfTheProviderAreItsOwn(t *testing.T) {
	// rewrite lets rules be those of another version, which has written another table.
	rewrite := func(l *leaves, version int) {
		rules := read(l, "milan", rulesFor("rome"))
		before := liqo.Digest(rules.Spec.Table)
		rules.Spec.Table.Chains = rules.Spec.Table.Chains[1:]
		record := strings.NewReplacer(before, liqo.Digest(rules.Spec.Table),
			fmt.Sprintf(`"version":%d`, liqo.TableVersion), fmt.Sprintf(`"version":%d`, version))
		rules.Annotations[liqo.LimitsAnnotation] = record.Replace(rules.Annotations[liqo.LimitsAnnotation])
		must(t, l.of("milan").Update(t.Context(), rules))
	}
	versionOf := func(l *leaves) int {
		return liqo.Objects{Firewall: read(l, "milan", rulesFor("rome"))}.LimitsVersion()
	}
	const older, newer = liqo.TableVersion - 2, liqo.TableVersion + 1
	for name, resource := range havingMilansGateway {
		t.Run(name, func(t *testing.T) {
			l, p := applied(t, resource.with(onlyDatabase))
			rewrite(l, older)
			p.apply().does("update", resource.address).
				says(`Warning: The rules of the gateway are from an older version of this provider on leaf "milan"`).
				doesNotSay("edited or removed")
			if got := versionOf(l); got != liqo.TableVersion {
				t.Errorf("after the repair, the rules have version %d", got)
			}
			rewrite(l, newer)
			p.plan().isEmpty()
			p.configure(resource.with("mtu = 1300", onlyDatabase)).apply().doesNotSay("older version")
			if got := versionOf(l); got != newer {
				t.Errorf("this version has written rules of version %d in the place of newer ones", got)
			}
		})
	}
}

func TestRulesWithoutAGatewayGoWithTheNextApply(t *testing.T) {
	const inOwn = "client_namespace = \"own\"\nserver_namespace = \"own\""
	l := leavesFor(t)
	for _, name := range []string{"rome", "milan"} {
		l.have(name, namespaceNamed("own"))
	}
	rules := rulesFor("milan")
	rules.Namespace = "own"
	p := l.project(t, shortcut(inOwn, onlyDatabase))
	l.of("milan").refuses(to(http.MethodPatch, "/gatewayservers/rome"), "no gateway")
	p.applyFails("no gateway")
	if !l.hasObject("rome", rules) {
		t.Fatal("the failed create has left no rules on Rome, which has no gateway")
	}
	l.of("milan").Disturb(nil)
	p.untaint(romeMilan)
	p.configure(shortcut(inOwn)).apply()
	p.has(romeMilan, "null", "allow")
	if l.hasObject("rome", rules) {
		t.Error("the rules are in force for the gateway that was made since, and nothing shows them")
	}
}

func TestAPlanSaysWhichOpenConnectionsGoOn(t *testing.T) {
	const warning = "Warning: Established connections continue"
	l := leavesFor(t)
	for name, test := range map[string]struct{ before, after, says string }{
		"a rule without port": {
			`allow = [{ to = "server" }, { to = "client", protocol = "TCP", port = 443 }]`, `allow = [{ to = "server" }]`,
			`those of TCP to port 443 to "rome", because of the rule that allows every protocol to "milan"`,
		},
		"what was open before": {
			"", `allow = [{ to = "server", protocol = "TCP" }]`,
			`those of every protocol to "rome", because of the rule that allows TCP to "milan"`,
		},
		"a rule with a port": {"", onlyDatabase, ""},
		"a wider rule":       {onlyDatabase, `allow = [{ to = "server" }]`, ""},
		"nothing any longer": {`allow = [{ to = "server" }]`, `allow = []`, ""},
		"everything again":   {`allow = [{ to = "server" }]`, ``, ""},
		"rules more":         {"allow = []", `allow = [{ to = "server", protocol = "UDP" }]`, ""},
	} {
		for kind, resource := range havingMilansGateway {
			t.Run(name+" of "+kind, func(t *testing.T) {
				p := l.project(t, resource.with(test.before))
				p.apply()
				p.configure(resource.with(test.after))
				planned := p.plan()
				planned.does("update", resource.address)
				if test.says == "" {
					planned.doesNotSay(warning)
				} else {
					planned.says(warning, test.says)
				}
				p.destroy()
			})
		}
	}
}
