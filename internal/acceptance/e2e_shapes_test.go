package acceptance

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// imports returns an import block for each of these resources of a cluster, for another one.
func imports(cluster, remote string, resources ...string) string {
	var blocks strings.Builder
	for _, resource := range resources {
		fmt.Fprintf(&blocks, "import {\n  to = %s.%s\n  id = \"%s/%s\"\n}\n", resource, remote, cluster, remote)
	}
	return blocks.String()
}

// forgetting returns a `removed` block for each of these addresses.
func forgetting(addresses ...string) string {
	var blocks strings.Builder
	for _, address := range addresses {
		fmt.Fprintf(&blocks, "removed {\n  from = %s\n  lifecycle {\n    destroy = false\n  }\n}\n", address)
	}
	return blocks.String()
}

// atEnd returns the configuration and the public key at an end, as the shortcut shows them, and its gateway.
func (l *realLab) atEnd(t *testing.T, cluster, remote, gateway string) string {
	t.Helper()
	other := l.cluster(t, remote)
	return bothLeaves + fmt.Sprintf(`
		resource "liqo_configuration" %[2]q {
		  cluster           = %[1]q
		  remote_cluster_id = %[2]q
		  pod_cidrs         = [%[3]q]
		  external_cidr     = %[4]q
		}
		resource "liqo_public_key" %[2]q {
		  cluster           = %[1]q
		  remote_cluster_id = %[2]q
		  public_key        = %[6]q
		}
		%[5]s`, cluster, remote, other.PodCIDR, other.ExternalCIDR, gateway, l.publicKey(t, cluster, remote))
}

// publicKey returns the public key that a cluster has of another one, in base64.
func (l *realLab) publicKey(t *testing.T, at, of string) string {
	t.Helper()
	var key networkingv1beta1.PublicKey
	name := client.ObjectKey{Namespace: "liqo-tenant-" + of, Name: of}
	if err := l.client(t, at).Get(t.Context(), name, &key); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(key.Spec.PublicKey)
}

func TestAccPacketsCrossWhileAShortcutBecomesTwoEndsAndBack(t *testing.T) {
	lab := borrowRealLab(t)
	p := lab.join(t, "milan", overNodePort)
	p.write("endpoint.tf", "output \"endpoint\" {\n  value = "+romeMilan+".server_endpoint\n}\n")
	p.run("apply", "-auto-approve")
	endpoint := p.run("output", "-json", "endpoint")
	p.remove("endpoint.tf")
	rome := lab.stateIn(t, "rome", lab.atEnd(t, "rome", "milan", `
		resource "liqo_gateway_client" "milan" {
		  cluster           = "rome"
		  remote_cluster_id = "milan"
		  server_endpoint   = jsondecode(file("endpoint.json"))
		}`))
	milan := lab.stateIn(t, "milan", lab.atEnd(t, "milan", "rome", `
		resource "liqo_gateway_server" "rome" {
		  cluster           = "milan"
		  remote_cluster_id = "rome"
		  service_type      = "NodePort"
		}`))
	rome.write("endpoint.json", endpoint)
	rome.write("import.tf", imports("rome", "milan", "liqo_configuration", "liqo_gateway_client", "liqo_public_key"))
	milan.write("import.tf", imports("milan", "rome", "liqo_configuration", "liqo_gateway_server", "liqo_public_key"))

	lost := p.measure("a shortcut becomes two ends", patiently, func() {
		for _, end := range []*project{rome, milan} {
			says(t, end.run("apply", "-auto-approve"), "3 imported, 0 added, 0 changed, 0 destroyed",
				"Warning: Another Terraform state may have this", "A liqo_shortcut already has it, made by")
			end.unchanged()
		}
		p.write("main.tf", lab.contexts(forgetting(romeMilan)))
		p.run("apply", "-auto-approve")
		rome.unchanged()
		milan.unchanged()
	}).Lost
	if lost > 0 {
		t.Errorf("%d packets were lost", lost)
	}
	p.works()

	t.Log("Each end can be changed on its own.")
	milan.write("main.tf", strings.Replace(milan.read("main.tf"), `service_type      = "NodePort"`,
		`service_type      = "NodePort"
		  service_labels    = { team = "net" }`, 1))
	says(t, milan.again(), "0 added, 1 changed, 0 destroyed")

	t.Log("Both teams let go of their end, and it is one shortcut again.")
	lost = p.measure("two ends become a shortcut", patiently, func() {
		rome.remove("import.tf")
		milan.remove("import.tf")
		rome.forget("liqo_configuration.milan", "liqo_gateway_client.milan", "liqo_public_key.milan")
		milan.forget("liqo_configuration.rome", "liqo_gateway_server.rome", "liqo_public_key.rome")
		p.configure(`server_gateway = {
			  service_type   = "NodePort"
			  service_labels = { team = "net" }
			}
			adopt_existing = true`)
		p.write("import.tf", "import {\n  to = "+romeMilan+"\n  id = \"rome/milan\"\n}\n")
		says(t, p.run("apply", "-auto-approve"), "1 imported, 0 added, 1 changed, 0 destroyed")
		p.unchanged()
	}).Lost
	if lost > 0 {
		t.Errorf("%d packets were lost", lost)
	}
	p.works()
}
