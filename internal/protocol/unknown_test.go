package protocol

import (
	"testing"

	"github.com/zclconf/go-cty/cty"
)

func TestALeafWithAnUnknownNameIsAReplacementWithItsReason(t *testing.T) {
	l := leavesFor(t, topology...)
	l.have("rome", namespaceNamed("shortcuts"))
	const settings = overNodePort + `
		client_namespace = "shortcuts"
		client_network   = { pod_cidrs = ["10.202.64.0/18"] }`
	named := func(settings string) string {
		return `
			resource "liqo_shortcut" "rome_milan" {
			  client = "rome"
			  server = var.server
			  ` + settings + `
			}`
	}
	const reason = "Warning: Perhaps another cluster"
	p := l.project(t, named(overNodePort))
	p.set("server", cty.StringVal("milan"))
	p.apply()

	p.configure(named(settings))
	p.unknown("server", cty.StringVal("milan")) // the name turns out to be the same
	replaced := p.applyOnce()
	replaced.does("replace", romeMilan)
	replaced.says(reason, "The name of the server is known only during the apply.",
		`It was "milan", and it is not known yet whether it will still refer to cluster "milan".`)
	for _, server := range []string{"milan", "europe"} {
		p.unknown("server", cty.StringVal(server))
		again := p.applyOnce()
		again.does("replace", romeMilan)
		again.says(reason)
		p.has(romeMilan, "rome/"+server, "id")
		p.has(romeMilan, "Connected", "status")
		p.has(romeMilan, "shortcuts", "client_namespace")
		p.has(romeMilan, `["10.202.64.0/18"]`, "client_network", "pod_cidrs")

		p.set("server", cty.StringVal(server))
		p.plan().isEmpty()
	}
}

func TestUnknownRangesChangeInPlace(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort+`
		client_network = { pod_cidrs = [var.pods] }
		server_network = { external_cidr = var.external }`))
	announce := func(pods, external string) *outcome {
		p.unknown("pods", cty.StringVal(pods))
		p.unknown("external", cty.StringVal(external))
		return p.applyOnce()
	}
	announce("10.202.0.0/17", "192.168.1.0/25")
	announce("10.202.128.0/17", "192.168.1.0/26").does("update", romeMilan)
	p.has(romeMilan, "Connected", "status")
	p.has(romeMilan, `["10.202.128.0/17"]`, "client_network", "remapped_pod_cidrs")
	p.has(romeMilan, "192.168.1.0/26", "server_network", "external_cidr")
}
