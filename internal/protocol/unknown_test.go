package protocol

import (
	"maps"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

func TestALeafWithAnUnknownNameIsAReplacementWithItsReason(t *testing.T) {
	l := leavesFor(t, topology...)
	l.have("rome", namespaceNamed("shortcuts"))
	const settings = `
		client_namespace = "shortcuts"
		client_network   = { pod_cidrs = ["10.202.64.0/18"] }`
	named := func(settings string) string {
		return strings.Replace(shortcut(settings), `"milan"`, "var.server", 1)
	}
	const reason = "Warning: Perhaps another cluster"
	p := l.project(t, named(""))
	p.unknown("server", cty.StringVal("milan")).applyOnce().does("create", romeMilan).doesNotSay(reason)

	p.configure(named(settings)).unknown("server", cty.StringVal("milan")) // the name turns out to be the same
	p.applyOnce().does("replace", romeMilan).says(reason, "The name of the server is known only during the apply.",
		`It was "milan", and it is not known yet whether it will still refer to cluster "milan".`)
	for _, server := range []string{"milan", "europe"} {
		p.unknown("server", cty.StringVal(server)).applyOnce().does("replace", romeMilan).says(reason)
		p.has(romeMilan, "rome/"+server, "id")
		p.has(romeMilan, "Connected", "status")
		p.has(romeMilan, "shortcuts", "client_namespace")
		p.has(romeMilan, `["10.202.64.0/18"]`, "client_network", "pod_cidrs")

		p.set("server", cty.StringVal(server)).plan().isEmpty()
	}
}

func TestUnknownRangesChangeInPlace(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, shortcut(`client_network = { pod_cidrs = [var.pods] }`,
		`server_network = { external_cidr = var.external }`))
	announce := func(pods, external string) *outcome {
		p.unknown("pods", cty.StringVal(pods)).unknown("external", cty.StringVal(external))
		return p.applyOnce()
	}
	announce("10.202.0.0/17", "192.168.1.0/25")
	announce("10.202.128.0/17", "192.168.1.0/26").does("update", romeMilan)
	p.has(romeMilan, `["10.202.128.0/17"]`, "client_network", "remapped_pod_cidrs")
	p.has(romeMilan, "192.168.1.0/26", "server_network", "external_cidr")
}

func TestAllowMayBeKnownOnlyByTheApply(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, `
		variable "port" { default = null }
		`+shortcut(`allow = [
			  { to = "server", protocol = "ICMP", port = var.port },
			  { to = "server", protocol = "TCP", end_port = var.end_port, cidrs = var.cidrs },
			]`))
	p.set("cidrs", cty.NullVal(cty.List(cty.String))).set("end_port", cty.NullVal(cty.Number))
	p.validate() // knows no variable

	rule := func(port int64) cty.Value {
		return cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{
			"to": cty.StringVal("server"), "protocol": cty.StringVal("TCP"), "port": cty.NumberIntVal(port),
		})})
	}
	p.configure(shortcut("allow = var.allow")).unknown("allow", rule(5432))
	p.plan().plans(romeMilan, unknown, "allow")
	p.applyOnce()
	l.hasRules("milan", "rome", true)
	p.applyOnce().does("update", romeMilan) // it might have changed
	p.unknown("allow", cty.NullVal(rule(5432).Type())).applyOnce()
	l.hasRules("milan", "rome", false)
	p.has(romeMilan, "null", "allow")

	p.configure(shortcut(`allow = [{ to = "server", protocol = "TCP", port = var.port, cidrs = var.cidrs }]`))
	p.unknown("port", cty.NumberIntVal(5432))
	p.unknown("cidrs", cty.ListVal([]cty.Value{cty.StringVal("10.203.4.0/24")})).applyOnce()
	p.has(romeMilan, onPort5432, "allow")
	p.unknown("cidrs", cty.ListVal([]cty.Value{cty.StringVal("10.99.0.0/24")})).applyFails("10.99.0.0/24")
	p.has(romeMilan, onPort5432, "allow")
}

func TestAnyTwoSettingsOfAnEndMayBeKnownOnlyByTheApply(t *testing.T) {
	l := leavesFor(t)
	text, number, block := cty.NullVal(cty.String), cty.NullVal(cty.Number), cty.NullVal(cty.DynamicPseudoType)
	both := map[string]cty.Value{
		"namespace": text, "mtu": number, "key_rotation_trigger": text, "key_secret_name": text, "template": block,
		"pods": block, "allow": block,
	}
	server := map[string]cty.Value{
		"service_type": text, "port": number, "node_port": number, "load_balancer_ip": text,
		"service_annotations": block, "service_labels": block,
	}
	client := map[string]cty.Value{"server_address": cty.StringVal("192.0.2.1"), "server_port": cty.NumberIntVal(51840)}
	maps.Copy(server, both)
	maps.Copy(client, both)
	rules := "[" + database + "]"
	for _, end := range []struct {
		address, other string
		known          map[string]string
		settings       map[string]cty.Value
	}{
		{turinsServer, "turin", map[string]string{"allow": rules}, server},
		{"liqo_gateway_client.venice", "venice",
			map[string]string{"allow": rules, "server_address": `"192.0.2.1"`, "server_port": "51840"}, client},
	} {
		written := func(unknown ...string) string {
			lines := maps.Clone(end.known)
			for _, name := range unknown {
				lines[name] = "var." + name
			}
			config := ""
			for name, value := range lines {
				config += name + " = " + value + "\n"
			}
			return endAt(end.address, "milan", end.other, config)
		}
		existing := l.project(t, written())
		existing.apply()
		for _, p := range []*project{l.project(t, written()), existing} {
			for one, value := range end.settings {
				p.unknown(one, value)
				for another, value := range end.settings {
					p.unknown(another, value).configure(written(one, another)).plan()
				}
			}
		}
	}
}
