package protocol

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// rulesFor returns the FirewallConfiguration of what may cross on a leaf, in the tenant namespace for another one.
func rulesFor(other string) *networkingv1beta1.FirewallConfiguration {
	rules := inTenant(&networkingv1beta1.FirewallConfiguration{}, other)
	rules.Name += "-allow"
	return rules
}

// pathOf is where the API server has such rules.
func pathOf(rules *networkingv1beta1.FirewallConfiguration) string {
	return fmt.Sprintf("/apis/networking.liqo.io/v1beta1/namespaces/%s/firewallconfigurations/%s",
		rules.Namespace, rules.Name)
}

// hasRules fails the test unless a leaf has rules for another one, or has none.
func (l *leaves) hasRules(name, other string, expected bool) {
	l.t.Helper()
	rules := rulesFor(other)
	err := l.of(name).Get(l.t.Context(), client.ObjectKeyFromObject(rules), rules)
	if expected == (err != nil) || err != nil && !apierrors.IsNotFound(err) {
		l.t.Errorf("%s has rules for %s: %t (%v)", name, other, err == nil, err)
	}
}

const (
	milansServer = "liqo_gateway_server.rome"
	database     = `{ to = "server", protocol = "TCP", port = 5432, cidrs = ["10.203.4.0/24"] }`
	onPort5432   = `[{"cidrs":["10.203.4.0/24"],"end_port":null,"port":5432,"protocol":"TCP","to":"server"}]`
)

func allows(rules string) string { return "allow = [" + rules + "]\nservice_type = \"NodePort\"" }

func TestAGatewayOfOneEndLimitsWhatMayCross(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, endAt(milansServer, "milan", "rome", allows(database)))
	p.apply()
	p.has(milansServer, onPort5432, "allow")

	l.lose("milan", rulesFor("rome"))
	repaired := p.apply()
	repaired.does("update", milansServer)
	l.hasRules("milan", "rome", true)

	l.patch("milan", rulesFor("rome"), `{"spec":{"table":{"chains":[]}}}`)
	p.plan().does("update", milansServer)
	p.apply()

	p.forget(milansServer)
	p.imports(milansServer, "milan/rome")
	p.has(milansServer, onPort5432, "allow")
	p.plan().isEmpty()

	p.configure(endAt(milansServer, "milan", "rome", allows("")))
	p.apply().does("update", milansServer)
	p.has(milansServer, "[]", "allow")
	p.configure(endAt(milansServer, "milan", "rome", `service_type = "NodePort"`))
	p.apply().does("update", milansServer)
	l.hasRules("milan", "rome", false)

	p.configure(endAt(milansServer, "milan", "rome", allows(database)))
	p.apply()
	p.destroy()
	l.hasRules("milan", "rome", false)
}

func TestTheRulesOfAShortcutAreImportedWithAnEndAndBack(t *testing.T) {
	l := leavesFor(t)
	joined := l.project(t, between("milan", overNodePort+"\nallow = ["+database+"]"))
	joined.apply()
	p := l.project(t, endAt(milansServer, "milan", "rome", allows(database)))
	p.imports(milansServer, "milan/rome")
	p.plan().isEmpty()
	joined.forget(romeMilan)
	p.configure(endAt(milansServer, "milan", "rome", allows(database+", { to = \"client\", protocol = \"ICMP\" }")))
	p.apply().does("update", milansServer)

	p.forget(milansServer)
	joined.configure(between("milan", overNodePort+"\nallow = ["+database+"]"))
	joined.imports(romeMilan, "rome/milan")
	joined.apply().does("update", romeMilan)
	joined.has(romeMilan, onPort5432, "allow")
	joined.has(romeMilan, "Connected", "status")
}

func TestAPlanFindsRulesThatAGatewayOfOneEndCannotHave(t *testing.T) {
	l := leavesFor(t)
	for rule, sentence := range map[string]string{
		`{ to = "server", cidrs = ["10.202.0.0/24"] }`: `A rule allows 10.202.0.0/24, where "rome" reaches no pods`,
		`{ to = "server", port = 80 }`:                 "Only TCP and UDP have ports",
		`{ to = "rome" }`:                              "must be one of",
	} {
		t.Run(rule, func(t *testing.T) {
			l.project(t, endAt(milansServer, "milan", "rome", allows(rule))).planFails("Error: ", sentence, "allow")
		})
	}
}

func TestATopologySaysWhereItsEdgesAreLimited(t *testing.T) {
	const all = "data.liqo_topology.all"
	l := leavesFor(t)
	seen := l.project(t, `data "liqo_topology" "all" {}`)
	for _, test := range []struct{ config, limitedAt, drawn string }{
		{between("milan", overNodePort), "[]", `|"shortcut"|`},
		{between("milan", overNodePort+"\nallow = []"), `["milan","rome"]`, `|"shortcut, limited"|`},
		{
			endAt(milansServer, "milan", "rome", allows("")), `["milan"]`,
			`|"✗ shortcut, limited at milan: Disconnected"|`,
		},
	} {
		p := l.project(t, test.config)
		p.apply()
		seen.plan()
		seen.has(all, test.limitedAt, "edges", 0, "limited_at")
		seen.draws(all, test.drawn)
		p.destroy()
	}
}

func TestADataSourceShowsTheRulesOfEachLeaf(t *testing.T) {
	const shown = "data.liqo_shortcut.x"
	l := leavesFor(t)
	for settings, expected := range map[string]string{"": "null", "\nallow = [" + database + "]": onPort5432} {
		t.Run(settings, func(t *testing.T) {
			p := l.project(t, between("milan", overNodePort+settings))
			p.applyOnce()
			seen := l.project(t, "data \"liqo_shortcut\" \"x\" {\nclient = \"rome\"\nserver = \"milan\"\n}")
			seen.plan()
			seen.has(shown, expected, "allow")
			seen.has(shown, expected, "client_end", "allow")
			seen.has(shown, expected, "server_end", "allow")
			p.destroy()
		})
	}
	p := l.project(t, endAt(milansServer, "milan", "rome", allows(database)))
	p.apply()
	seen := l.project(t, "data \"liqo_shortcut\" \"x\" {\nclient = \"rome\"\nserver = \"milan\"\n}")
	seen.plan()
	seen.has(shown, "null", "allow")
	seen.has(shown, "null", "client_end", "allow")
	seen.has(shown, onPort5432, "server_end", "allow")
}

func TestRulesThatAreLostBeforeAllowIsRemovedLeaveNothing(t *testing.T) {
	for name, test := range map[string]struct{ limited, open, resource string }{
		"shortcut": {
			between("milan", overNodePort+"\nallow = ["+database+"]"), between("milan", overNodePort), romeMilan,
		},
		"one end": {
			endAt(milansServer, "milan", "rome", allows(database)),
			endAt(milansServer, "milan", "rome", `service_type = "NodePort"`), milansServer,
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := leavesFor(t)
			p := l.project(t, test.limited)
			p.apply()
			p.configure(test.open)
			l.lose("milan", rulesFor("rome"))
			l.of("milan").Take()
			p.apply().does("update", test.resource)
			if emptied := (clustertest.Request{Method: http.MethodPatch, Path: pathOf(rulesFor("rome"))}); !slices.Contains(
				l.of("milan").Take(), emptied) {
				t.Error("the gateway is not told to drop the rules, which it has although nobody lists them")
			}
			l.hasRules("milan", "rome", false)
			p.has(test.resource, "null", "allow")
			p.plan().isEmpty()
			p.configure(test.limited)
			p.apply().does("update", test.resource)
			l.hasRules("milan", "rome", true)
			p.plan().isEmpty()
			p.destroy()
			l.hasRules("milan", "rome", false)
			l.hasRules("rome", "milan", false)
		})
	}
}

func TestRulesThatSomebodyHasRemovedStayInTheStateAndComeBack(t *testing.T) {
	for name, test := range map[string]struct{ config, resource, id string }{
		"shortcut": {between("milan", overNodePort+"\nallow = ["+database+"]"), romeMilan, "rome/milan"},
		"one end":  {endAt(milansServer, "milan", "rome", allows(database)), milansServer, "milan/rome"},
	} {
		t.Run(name, func(t *testing.T) {
			l := leavesFor(t)
			p := l.project(t, test.config)
			p.apply()
			l.lose("milan", rulesFor("rome"))
			planned := p.plan()
			planned.says("Warning: The rules of `allow` have been edited or removed")
			// This is what a configuration proposes that ignores changes.
			if got := shown(at(planned.change(test.resource).prior.value, "allow")); got != onPort5432 {
				t.Errorf("a refresh finds %s", got)
			}
			p.apply().does("update", test.resource)
			l.hasRules("milan", "rome", true)
			p.plan().doesNotSay("edited or removed")

			l.lose("milan", rulesFor("rome"))
			p.forget(test.resource)
			p.imports(test.resource, test.id)
			planned = p.plan()
			planned.says("Warning: The rules of `allow` have been edited or removed")
			planned.does("update", test.resource)
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
	for name, test := range map[string]struct{ resource, config, changed string }{
		"shortcut": {
			romeMilan, between("milan", overNodePort+"\nallow = ["+database+"]"),
			between("milan", overNodePort+"\nmtu = 1300\nallow = ["+database+"]"),
		},
		"one end": {
			milansServer, endAt(milansServer, "milan", "rome", allows(database)),
			endAt(milansServer, "milan", "rome", "mtu = 1300\n"+allows(database)),
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := leavesFor(t)
			p := l.project(t, test.config)
			p.apply()
			rewrite(l, older)
			repaired := p.apply()
			repaired.does("update", test.resource)
			repaired.says(`Warning: The rules of the gateway are from an older version of this provider on leaf "milan"`)
			repaired.doesNotSay("edited or removed")
			if got := versionOf(l); got != liqo.TableVersion {
				t.Errorf("after the repair, the rules have version %d", got)
			}
			rewrite(l, newer)
			p.plan().isEmpty()
			p.configure(test.changed)
			p.apply().doesNotSay("older version")
			if got := versionOf(l); got != newer {
				t.Errorf("this version has written rules of version %d in the place of newer ones", got)
			}
		})
	}
}

func TestRulesWithoutAGatewayGoWithTheNextApply(t *testing.T) {
	l := leavesFor(t)
	l.have("rome", namespaceNamed("own"))
	l.have("milan", namespaceNamed("own"))
	const inOwn = overNodePort + `
		client_namespace = "own"
		server_namespace = "own"
		`
	left := func() bool {
		rules := rulesFor("milan")
		rules.Namespace = "own"
		return l.of("rome").Get(t.Context(), client.ObjectKeyFromObject(rules), rules) == nil
	}
	p := l.project(t, between("milan", inOwn+"allow = ["+database+"]"))
	l.of("milan").Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		refused := r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/gatewayservers/")
		if !refused {
			return false
		}
		http.Error(w, "no", http.StatusForbidden)
		return true
	})
	p.applyFails("Error: ")
	if !left() {
		t.Fatal("the failed create has left no rules on Rome, which has no gateway")
	}
	l.of("milan").Disturb(nil)
	p.untaint(romeMilan)
	p.configure(between("milan", inOwn))
	p.apply()
	p.has(romeMilan, "null", "allow")
	if left() {
		t.Error("the rules are in force for the gateway that was made since, and nothing shows them")
	}
}

func TestAPlanSaysWhichOpenConnectionsGoOn(t *testing.T) {
	const warning = "Warning: Established connections continue"
	l := leavesFor(t)
	for name, test := range map[string]struct {
		before, after string
		says          []string
	}{
		"a rule without port": {
			`allow = [{ to = "server" }, { to = "client", protocol = "TCP", port = 443 }]`, `allow = [{ to = "server" }]`,
			[]string{`those of TCP to port 443 to "rome", because of the rule that allows every protocol to "milan"`},
		},
		"what was open before": {
			"", `allow = [{ to = "server", protocol = "TCP" }]`,
			[]string{`those of every protocol to "rome", because of the rule that allows TCP to "milan"`},
		},
		"a rule with a port": {"", "allow = [" + database + "]", nil},
		"a wider rule":       {"allow = [" + database + "]", `allow = [{ to = "server" }]`, nil},
		"nothing any longer": {`allow = [{ to = "server" }]`, `allow = []`, nil},
		"everything again":   {`allow = [{ to = "server" }]`, ``, nil},
		"rules more":         {"allow = []", `allow = [{ to = "server", protocol = "UDP" }]`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for resource, config := range map[string]func(string) string{
				romeMilan: func(allow string) string { return between("milan", overNodePort+"\n"+allow) },
				milansServer: func(allow string) string {
					return endAt(milansServer, "milan", "rome", "service_type = \"NodePort\"\n"+allow)
				},
			} {
				p := l.project(t, config(test.before))
				p.apply()
				p.configure(config(test.after))
				planned := p.plan()
				planned.does("update", resource)
				if test.says == nil {
					planned.doesNotSay(warning)
				} else {
					planned.says(append(test.says, warning)...)
				}
				if t.Failed() {
					t.Fatal(name)
				}
				p.destroy()
			}
		})
	}
}
