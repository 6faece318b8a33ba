package protocol

import (
	"maps"
	"slices"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/zclconf/go-cty/cty"
)

func TestAShortcutIsReplacedOnDemand(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	p.apply()
	before := l.requested()
	p.replacing(romeMilan)
	p.apply().does("replace", romeMilan)
	p.has(romeMilan, "Connected", "status")
	for what, one := range l.requested() {
		if one.UID == before[what].UID {
			t.Errorf("the %s was not replaced", what)
		}
	}
}

func TestAShortcutThatMovesKeepsItsNetwork(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	p.apply()
	networks := l.networks()
	p.moves(romeMilan, "liqo_shortcut.after")
	p.configure(renamed(between("milan", overNodePort)))
	p.apply().does("no-op", "liqo_shortcut.after")
	l.sameNetworks(networks)
}

func TestADestroyThatReachesOnlyOneLeafKeepsTheState(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	p.apply()
	l.of("milan").Stop()
	p.destroyFails(`Error: The API server can't be reached on leaf "milan"`)
	p.has(romeMilan, "rome/milan", "id")
	l.of("milan").Start()
	p.destroy()
}

func TestAPlanWarnsOfAShortcutThatAnotherProviderBlockHasMade(t *testing.T) {
	l := leavesFor(t)
	blocks := `
		provider "liqo" {
		  config_path = "` + l.kubeconfig + `"
		}
		provider "liqo" {
		  alias       = "other"
		  config_path = "` + l.kubeconfig + `"
		}`
	const one, two = "liqo_shortcut.one", "liqo_shortcut.two"
	shortcut := func(name, more string) string {
		return `
			resource "liqo_shortcut" "` + name + `" {
			  client         = "rome"
			  server         = "milan"
			  server_gateway = { service_type = "NodePort" }
			  ` + more + `
			}`
	}
	p := l.project(t, blocks+shortcut("one", ""))
	p.apply()
	p.configure(blocks + shortcut("one", "") + shortcut("two", "provider = liqo.other"))
	planned := p.plan()
	planned.does("no-op", one)
	planned.does("create", two)
	planned.plans(two, unknown, "status")
	planned.says(`Warning: A shortcut with`, "exists already on leaf", "with "+two+",")
}

func TestAnUnknownSettingMayTurnOutToBeNull(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, `
		variable "node_port" { default = null }
		`+between("milan", `server_gateway = { node_port = var.node_port, load_balancer_ip = var.load_balancer_ip }`))
	p.set("load_balancer_ip", cty.StringVal("192.0.2.10"))
	p.validate()
	p.plan().does("create", romeMilan)
	p.set("node_port", cty.NumberIntVal(31020))
	p.planFails("Error: node_port without NodePort")
}

func TestAReplacementKeepsConfiguredValues(t *testing.T) {
	l := leavesFor(t, topology...)
	l.have("rome", namespaceNamed("shortcuts"))
	const settings = overNodePort + `
		client_namespace = "shortcuts"
		client_network   = { pod_cidrs = ["10.202.64.0/18"] }`
	p := l.project(t, between("milan", settings))
	p.apply()

	p.configure(between("europe", settings))
	l.of("rome").Stop()
	continued := p.plan() // without the leaf that does not answer
	continued.does("replace", romeMilan)
	continued.says("Warning:", `leaf "rome"`, "connection refused", "with "+romeMilan+",")
	l.of("rome").Start()
	p.apply().does("replace", romeMilan)
	p.has(romeMilan, "Connected", "status")
	p.has(romeMilan, "shortcuts", "client_namespace")
	p.has(romeMilan, `["10.202.64.0/18"]`, "client_network", "pod_cidrs")
	p.destroy()
}

func TestAPlanHasUnknownValuesOnlyForAMissingConfiguration(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	p.apply()

	l.lose("rome", inTenant(&networkingv1beta1.GatewayClient{}, "milan"))
	repaired := p.apply()
	repaired.does("update", romeMilan)
	repaired.plans(romeMilan, `["10.202.0.0/16"]`, "client_network", "remapped_pod_cidrs")
	repaired.plans(romeMilan, `["10.203.0.0/16"]`, "server_network", "remapped_pod_cidrs")
	p.has(romeMilan, "Connected", "status")

	l.lose("rome", inTenant(&networkingv1beta1.Configuration{}, "milan")) // Rome's record of Milan's network
	repaired = p.apply()
	repaired.does("update", romeMilan)
	repaired.plans(romeMilan, `["10.202.0.0/16"]`, "client_network", "remapped_pod_cidrs")
	repaired.plans(romeMilan, unknown, "server_network", "remapped_pod_cidrs")
	p.has(romeMilan, "Connected", "status")
}

func TestAnUpdateWithNothingToChangeOnTheLeavesWritesNothingThere(t *testing.T) {
	l := leavesFor(t)
	settings := overNodePort
	p := l.project(t, between("milan", settings))
	p.apply()
	for _, more := range []string{
		"client_gateway = {}", `timeouts = { create = "3m" }`, "wait_for_connection = false", `on_destroy = "disconnect"`,
	} {
		settings += "\n" + more
		p.configure(between("milan", settings))
		l.writes() // only later ones
		p.apply().does("update", romeMilan)
		p.has(romeMilan, "Connected", "status")
		if written := l.writes(); len(written) > 0 {
			t.Errorf("with %s, the provider has sent %v", more, written)
		}
	}
}

func TestConfigurationsCanOutliveTheShortcut(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort+"\n"+`on_destroy = "disconnect"`))
	p.apply()
	before := l.requested()

	p.configure("")
	p.apply().does("delete", romeMilan)
	left := l.requested()
	names := slices.Sorted(maps.Keys(left))
	if changes := differing(before, left); changes != "" ||
		!slices.Equal(names, []string{"milan Configuration", "rome Configuration"}) {
		t.Errorf("%q are left, and %q have changed", names, changes)
	}

	p.configure(between("milan", overNodePort))
	p.apply().does("create", romeMilan)
	p.has(romeMilan, "Connected", "status")
	const created = "new milan GatewayServer, new milan PublicKey, new rome GatewayClient, new rome PublicKey"
	if changes := differing(left, l.requested()); changes != created {
		t.Errorf("a new shortcut has changed %q", changes)
	}
}
