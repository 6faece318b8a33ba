package protocol

import (
	"strings"
	"testing"
)

func TestForbiddenRemappingFailsThePlanAndNamesBothCIDRs(t *testing.T) {
	l := leavesFor(t, topology...)
	l.project(t, between("naples", overNodePort+"\n"+`cidr_remapping = "forbid"`)).
		planFails("Remapping is forbidden, and needed", "overlaps with 10.202.0.0/16")
}

func TestAnUnpredictedForbiddenRemappingLeavesNothingBehind(t *testing.T) {
	l := leavesFor(t, "rome=10.202.0.0/16", "europe=100.64.0.0/16") // Liqo's IPAM has only private addresses
	p := l.project(t, between("europe", overNodePort+"\n"+`cidr_remapping = "forbid"`))
	p.applyFails(`Remapping is forbidden, and needed on leaf "rome"`, `100.64.0.0/16 of "europe"`)
	if left := l.requested(); len(left) > 0 || len(p.state) > 0 {
		t.Errorf("left behind: %v, and %d resources in the state", left, len(p.state))
	}
}

func TestAMissingTemplateFailsThePlan(t *testing.T) {
	l := leavesFor(t)
	for settings, sentences := range map[string][]string{
		`server_gateway = { template = { name = "nothing" } }`: {
			`The template does not exist on leaf "milan"`, "WgGatewayServerTemplate liqo/nothing",
		},
		`client_gateway = { template = { resource = "example.com/v1/nothings" } }`: {
			`There are no templates of type example.com/v1/nothings on leaf "rome"`,
		},
	} {
		l.project(t, between("milan", settings)).planFails(sentences...)
	}
}

func TestAPlanWarnsOfMissingObjectsThatTheApplyMayCreate(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort+`
		server_namespace = "nowhere"
		client_namespace = "default"
		client_gateway   = { key_secret = "no-keys" }`))
	p.plan().says(`Warning: Namespace nowhere does not exist on leaf "milan"`,
		`Warning: Secret default/no-keys does not exist on leaf "rome"`,
		"This is only a warning, because the same apply may create it before the shortcut.")
	p.applyFails(`Error: Namespace nowhere does not exist on leaf "milan"`)
}

func TestAPlanFindsANamespaceThatCannotBeUsed(t *testing.T) {
	l := leavesFor(t)
	l.have("rome", namespaceNamed("liqo-tenant-milan"))
	l.project(t, between("milan", overNodePort)).
		planFails(`Namespace liqo-tenant-milan is taken on leaf "rome"`, "with "+romeMilan+",")
}

func TestAPairCanHaveOnlyOneShortcut(t *testing.T) {
	l := leavesFor(t)
	l.project(t, `
		resource "liqo_shortcut" "one" {
		  client = "rome"
		  server = "milan"
		}
		resource "liqo_shortcut" "two" {
		  client = "milan"
		  server = "rome"
		}`).planFails("The same pair twice", `clusters "milan" and "rome"`)
}

func TestAPlanFindsANamespaceOfTwoShortcuts(t *testing.T) {
	l := leavesFor(t, topology...)
	l.have("rome", namespaceNamed("shortcuts"))
	l.project(t, between("milan", overNodePort+"\n"+`client_namespace = "shortcuts"`)+`
		resource "liqo_shortcut" "naples_rome" {
		  client           = "naples"
		  server           = "rome"
		  server_namespace = "shortcuts"
		}`).planFails("The same namespace twice", "with liqo_shortcut.",
		`Another liqo_shortcut of this configuration already has namespace "shortcuts" of leaf "rome".`)
}

func TestAPlanFindsANetworkThatSomeoneElseMade(t *testing.T) {
	l := leavesFor(t)
	l.joinedByHand()
	refused := []string{
		"Error: A network with", "exists already on leaf", "This provider did not make",
		"Import that network, set `adopt_existing = true` to take it over, or remove it first, for instance with " +
			"`liqoctl network reset`.",
	}
	l.project(t, between("milan", overNodePort)).planFails(refused...)
	l.project(t, fromTo("milan", "rome", "")).planFails(refused...)
	l.project(t, between("milan", overNodePort+"\nadopt_existing = true")).apply()
}

func TestAPlanWarnsOfAShortcutOfAnotherState(t *testing.T) {
	l := leavesFor(t, topology...)
	l.have("rome", namespaceNamed("shortcuts"))
	const inNamespace = overNodePort + "\n" + `client_namespace = "shortcuts"`
	first := l.project(t, between("milan", inNamespace))
	first.apply()

	second := l.project(t, between("milan", overNodePort))
	planned := second.plan()
	planned.does("create", romeMilan)
	planned.says(`Warning: A shortcut with "milan" exists already on leaf "rome"`, "Another liqo_shortcut owns it",
		"This is only a warning, because the same apply may destroy the other resource")
	second.configure(between("naples", inNamespace))
	second.planFails(`Error: Namespace shortcuts has a gateway for another cluster on leaf "rome"`, "with "+romeMilan)

	const renamed = "liqo_shortcut.renamed"
	first.configure(strings.Replace(between("milan", inNamespace), `"rome_milan"`, `"renamed"`, 1))
	planned = first.plan()
	planned.does("create", renamed)
	planned.does("delete", romeMilan)
	planned.says("Warning: A shortcut with", "with "+renamed+",")
}
