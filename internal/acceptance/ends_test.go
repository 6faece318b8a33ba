package acceptance

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
)

// send gives the output with this name to another project, in a variable with the same name.
func (p *project) send(name string, to *project) {
	p.t.Helper()
	output := json.RawMessage(p.run("output", "-json", name))
	variables, err := json.Marshal(map[string]json.RawMessage{name: output})
	if err != nil {
		p.t.Fatal(err)
	}
	to.write(name+".auto.tfvars.json", string(variables))
}

// again applies a project that is initialised, and fails the test unless the next plan is empty. It returns what
// Terraform says.
func (p *project) again() string {
	p.t.Helper()
	output := p.run("apply", "-auto-approve")
	p.unchanged()
	return output
}

// connects waits until the gateways of both clusters report the tunnel as up.
func (l *Lab) connects(t *testing.T) {
	t.Helper()
	for at, of := range map[string]string{"rome": "milan", "milan": "rome"} {
		await(t, l, at, &networkingv1beta1.ConnectionList{}, "gw-"+of, func(connection *networkingv1beta1.Connection) bool {
			return connection.Status.Value == networkingv1beta1.Connected
		})
	}
}

// The two ends of examples/one-end, each with its own state and the kubeconfig of one cluster.
func TestAccTwoPeopleMakeOneEndEachAndThenOneShortcut(t *testing.T) {
	lab := borrowLab(t)
	rome, milan := lab.newProject(t, "../../examples/one-end/rome"), lab.newProject(t, "../../examples/one-end/milan")
	joined := lab.stateIn(t, "joined", bothLeaves+joiningByLoadBalancer(""))
	destroyAtLast(rome, milan, joined)
	rome.run("init")
	milan.run("init")
	rome.again() // there is nothing to create yet, but to tell
	rome.send("rome", milan)
	milan.again()
	milan.send("milan", rome)
	rome.again()
	rome.send("rome", milan)
	milan.again()
	lab.connects(t)
	says(t, rome.run("apply", "-refresh-only", "-auto-approve"), `status = "Connecting" -> "Connected"`)
	says(t, milan.run("apply", "-refresh-only", "-auto-approve"), `status = "Connecting" -> "Connected"`)
	rome.unchanged()
	milan.unchanged()

	t.Log("A shortcut over the two ends is refused, and the error names them.")
	says(t, joined.refused("apply", "-auto-approve"), `A liqo_configuration for "milan" exists already on leaf "rome"`,
		"A liqo_configuration owns Configuration liqo-tenant-milan/milan", "A pair of leaves has either one liqo_shortcut")

	t.Log("Changes outside of Terraform are repaired, and keys are rotated.")
	lab.deleteFromTenant(t, "rome", &networkingv1beta1.Configuration{})
	lab.deleteFromTenant(t, "rome", &networkingv1beta1.PublicKey{})
	lab.patchInTenant(t, "rome", &networkingv1beta1.GatewayClient{}, `{"spec":{"mtu":1200}}`)
	lab.patchInTenant(t, "milan", &networkingv1beta1.Configuration{},
		`{"spec":{"remote":{"cidr":{"pod":["10.99.0.0/16"]}}}}`)
	says(t, rome.again(), "2 added, 1 changed, 0 destroyed")
	says(t, milan.again(), "0 added, 1 changed, 0 destroyed")
	const gateway = `resource "liqo_gateway_server" "rome" {`
	milan.write("main.tf", strings.Replace(milan.read("main.tf"), gateway, gateway+"\nkey_rotation = \"second\"", 1))
	says(t, milan.again(), "0 added, 1 changed, 0 destroyed")
	milan.send("milan", rome)
	says(t, rome.again(), "0 added, 1 changed, 0 destroyed")
	lab.connects(t)

	t.Log("Milan lets go of its end, and Rome forgets to. Somebody with both credentials imports the two ends.")
	configuration := milan.read("main.tf")
	milan.forget("liqo_configuration.rome", "liqo_gateway_server.rome", "liqo_public_key.rome")
	joined.write("import.tf", `import {
		to = liqo_shortcut.rome_milan
		id = "rome/milan"
	}`)
	joined.configure(bothLeaves + joiningByLoadBalancer("adopt_existing = true"))
	says(t, joined.again(), "1 imported, 0 added, 1 changed, 0 destroyed")
	says(t, joined.run("state", "show", romeMilan), `status = "Connected"`)
	says(t, rome.refused("apply", "-auto-approve"), "The object has another owner now",
		`A liqo_shortcut for cluster "milan" exists already on leaf "rome"`, "liqo_gateway_client can't manage it")
	joined.run("destroy", "-auto-approve")

	t.Log("The two ends are made again, and their destroy leaves nothing.")
	milan.write("main.tf", configuration)
	rome.again()
	milan.again()
}

// forget lets a project keep these resources on the cluster, but not in its state. It replaces the configuration.
func (p *project) forget(addresses ...string) {
	p.t.Helper()
	var blocks strings.Builder
	for _, address := range addresses {
		fmt.Fprintf(&blocks, "removed {\n  from = %s\n  lifecycle {\n    destroy = false\n  }\n}\n", address)
	}
	p.configure(bothLeaves + blocks.String())
	p.run("apply", "-auto-approve")
	if left := p.resources(); left != "" {
		p.t.Errorf("the state has %s", left)
	}
}

// Each of these examples needs one end only, so one project applies all of them.
func TestAccTheExamplesOfResourcesForOneEndAreAppliedTogether(t *testing.T) {
	lab := borrowLab(t)
	p := lab.example(t, "provider")
	for _, name := range []string{"configuration", "gateway_server", "gateway_client", "public_key"} {
		example, err := os.ReadFile("../../examples/resources/liqo_" + name + "/resource.tf")
		if err != nil {
			t.Fatal(err)
		}
		p.write(name+".tf", string(example))
	}
	p.apply()
	for _, name := range []string{"configuration", "gateway_server", "public_key"} {
		p.run("state", "rm", "liqo_"+name+".rome")
		imported, err := os.ReadFile("../../examples/resources/liqo_" + name + "/import-by-string-id.tf")
		if err != nil {
			t.Fatal(err)
		}
		p.write("import-"+name+".tf", string(imported))
	}
	says(t, p.again(), "3 imported, 0 added, 0 changed, 0 destroyed")
}

// bothLeaves is a provider block with a context for each cluster.
const bothLeaves = `
	provider "liqo" {
	  config_path = "~/.kube/config"
	}
	`

// joiningByLoadBalancer returns a shortcut with default settings and one more attribute.
func joiningByLoadBalancer(more string) string {
	return fmt.Sprintf(`
		resource "liqo_shortcut" "rome_milan" {
		  client = "rome"
		  server = "milan"
		  %s
		}`, more)
}

func TestAccAResourceOfOneEndMovesBackToTheTenantNamespace(t *testing.T) {
	lab := borrowLab(t)
	lab.have(t, "milan", namespaceNamed("shortcuts"))
	key := func(more string) string {
		return bothLeaves + `
			resource "liqo_public_key" "turin" {
			  cluster           = "milan"
			  remote_cluster_id = "turin"
			  public_key        = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
			  ` + more + `
			}`
	}
	p := lab.stateIn(t, "moved", key(`namespace = "shortcuts"`))
	destroyAtLast(p)
	p.apply()
	p.configure(key(""))
	says(t, p.again(), `namespace = "shortcuts" -> (known after apply) # forces replacement`,
		"1 added, 0 changed, 1 destroyed")
	says(t, p.run("state", "show", "liqo_public_key.turin"), `namespace = "liqo-tenant-turin"`)
}

func TestAccAGatewayWhoseCreateFailsSaysHowToContinueAndContinues(t *testing.T) {
	lab := borrowLab(t)
	lab.command(t, "set", "milan", "load-balancer=false")
	t.Cleanup(func() { lab.command(t, "set", "milan", "load-balancer=true") })
	p := lab.stateIn(t, "slow", bothLeaves+`
		resource "liqo_gateway_server" "rome" {
		  cluster           = "milan"
		  remote_cluster_id = "rome"
		  timeouts          = { create = "`+ample+`", update = "5m" }
		}`)
	destroyAtLast(p)
	says(
		t, p.refused("apply", "-auto-approve"), "The load balancer gives no address",
		"set `service_type = \"NodePort\"` in the `liqo_gateway_server`", "The resource is tainted",
	)
	gateway := lab.gatewayServer(t)
	lab.command(t, "set", "milan", "load-balancer=true")
	p.run("untaint", "liqo_gateway_server.rome")
	p.run("apply", "-auto-approve")
	p.unchanged()
	if now := lab.gatewayServer(t); now != gateway {
		t.Error("the gateway was replaced")
	}
}
