package acceptance

import (
	"fmt"
	"testing"
)

// written returns a project with this configuration. At the end of the test, everything that it has applied is
// destroyed, and every cluster must have the same objects as before.
func (l *Lab) written(t *testing.T, config string) *project {
	t.Helper()
	p := l.example(t, "provider")
	p.write("provider.tf", "")
	p.write("main.tf", config)
	p.run("init")
	return p
}

func TestAccAnUnknownSettingMayTurnOutToBeNull(t *testing.T) {
	lab := borrowLab(t)
	p := lab.written(t, `
		variable "node_port" {
		  type    = number
		  default = null
		}
		variable "load_balancer_ip" { type = string }
		`+lab.between("milan", `server_gateway = { node_port = var.node_port, load_balancer_ip = var.load_balancer_ip }`))
	p.set("TF_VAR_load_balancer_ip", "192.0.2.10")
	p.run("validate")
	says(t, p.refused("plan", "-var", "node_port=31020"), "Error: node_port without NodePort")
	says(t, p.run("plan"), "1 to add")
}

// named returns a shortcut from Rome to a leaf whose name comes from another resource. A replacement of that resource
// gives the same name again.
func (l *Lab) named(server, trigger, settings string) string {
	return l.contexts(fmt.Sprintf(`
		resource "terraform_data" "server" {
		  input            = %q
		  triggers_replace = %q
		}
		resource "liqo_shortcut" "rome_milan" {
		  client         = "rome"
		  server         = terraform_data.server.output
		  server_gateway = { service_type = "NodePort" }
		  %s
		}`, server, trigger, settings))
}

func TestAccALeafWithAnUnknownNameIsAReplacementWithItsReason(t *testing.T) {
	lab := borrowTopology(t)
	lab.have(t, "rome", namespaceNamed("shortcuts"))
	const settings = `
		client_namespace = "shortcuts"
		client_network   = { pod_cidrs = ["10.202.64.0/18"] }`
	const reason = `Warning: Perhaps another cluster`
	p := lab.written(t, lab.named("milan", "first", ""))
	p.apply()

	p.write("main.tf", lab.named("milan", "second", settings)) // the name turns out to be the same
	says(t, p.run("apply", "-auto-approve"), reason, `The name of the server is known only during the apply.`,
		`It was "milan", and it is not known yet whether it will still refer to cluster `+
			`"milan".`, "# forces replacement", "2 added, 0 changed, 2 destroyed")
	says(
		t, p.run("state", "show", romeMilan), `id = "rome/milan"`, `status = "Connected"`, `client_namespace = "shortcuts"`,
		`pod_cidrs = [ "10.202.64.0/18", ]`,
	)
	p.run("plan", "-detailed-exitcode")

	p.write("main.tf", lab.named("europe", "second", settings))
	says(t, p.run("apply", "-auto-approve"), reason, "# forces replacement")
	says(
		t, p.run("state", "show", romeMilan), `id = "rome/europe"`, `status = "Connected"`,
		`client_namespace = "shortcuts"`,
	)
	p.run("plan", "-detailed-exitcode")
}

func TestAccUnknownRangesChangeInPlace(t *testing.T) {
	lab := borrowLab(t)
	announced := func(podCIDR, externalCIDR string) string {
		return fmt.Sprintf(`
			resource "terraform_data" "pods" { input = %q }
			resource "terraform_data" "external" { input = %q }
			`, podCIDR, externalCIDR) + lab.between("milan", overNodePort+`
			client_network = { pod_cidrs = [terraform_data.pods.output] }
			server_network = { external_cidr = terraform_data.external.output }`)
	}
	p := lab.written(t, announced("10.202.0.0/17", "10.70.0.0/17"))
	p.apply()
	p.write("main.tf", announced("10.202.128.0/17", "10.70.0.0/18"))
	p.apply()
	says(
		t, p.run("state", "show", romeMilan), `status = "Connected"`, `remapped_pod_cidrs = [ "10.202.128.0/17", ]`,
		`external_cidr = "10.70.0.0/18"`,
	)
}
