package protocol

import (
	"testing"

	"github.com/zclconf/go-cty/cty"
)

func TestATaintedShortcutIsReplaced(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	p.apply()
	p.taint(romeMilan)
	p.apply().does("replace", romeMilan)
	p.has(romeMilan, "Connected", "status")
}

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
