package protocol

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
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
		l.project(t, endAt(milansServer, "milan", "rome", allows(rule))).planFails("Error: ", sentence, "allow")
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
		p := l.project(t, between("milan", overNodePort+settings))
		p.applyOnce()
		seen := l.project(t, "data \"liqo_shortcut\" \"x\" {\nclient = \"rome\"\nserver = \"milan\"\n}")
		seen.plan()
		seen.has(shown, expected, "allow")
		seen.has(shown, expected, "client_end", "allow")
		seen.has(shown, expected, "server_end", "allow")
		p.destroy()
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
			p.apply().does("update", test.resource)
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
