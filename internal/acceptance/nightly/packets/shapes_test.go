package packets

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
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
func atEnd(t *testing.T, l *acctest.RealLab, cluster, remote, gateway string) string {
	t.Helper()
	other := l.Cluster(t, remote)
	return acctest.BothLeaves + fmt.Sprintf(`
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
		%[5]s`, cluster, remote, other.PodCIDR, other.ExternalCIDR, gateway, publicKey(t, l, cluster, remote))
}

// publicKey returns the public key that a cluster has of another one, in base64.
func publicKey(t *testing.T, l *acctest.RealLab, at, of string) string {
	t.Helper()
	var key networkingv1beta1.PublicKey
	name := client.ObjectKey{Namespace: "liqo-tenant-" + of, Name: of}
	if err := l.Client(t, at).Get(t.Context(), name, &key); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(key.Spec.PublicKey)
}

func TestAccPacketsCrossWhileAShortcutBecomesTwoEndsAndBack(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "milan", acctest.OverNodePort)
	p.Write("endpoint.tf", "output \"endpoint\" {\n  value = "+acctest.RomeMilan+".server_endpoint\n}\n")
	p.Run("apply", "-auto-approve")
	endpoint := p.Run("output", "-json", "endpoint")
	p.Remove("endpoint.tf")
	rome := lab.StateIn(t, "rome", atEnd(t, lab, "rome", "milan", `
		resource "liqo_gateway_client" "milan" {
		  cluster           = "rome"
		  remote_cluster_id = "milan"
		  server_endpoint   = jsondecode(file("endpoint.json"))
		}`))
	milan := lab.StateIn(t, "milan", atEnd(t, lab, "milan", "rome", `
		resource "liqo_gateway_server" "rome" {
		  cluster           = "milan"
		  remote_cluster_id = "rome"
		  service_type      = "NodePort"
		}`))
	rome.Write("endpoint.json", endpoint)
	rome.Write("import.tf", imports("rome", "milan", "liqo_configuration", "liqo_gateway_client", "liqo_public_key"))
	milan.Write("import.tf", imports("milan", "rome", "liqo_configuration", "liqo_gateway_server", "liqo_public_key"))

	lost := p.Measure("a shortcut becomes two ends", acctest.Patiently, func() {
		for _, end := range []*acctest.Project{rome, milan} {
			acctest.Says(t, end.Run("apply", "-auto-approve"), "3 imported, 0 added, 0 changed, 0 destroyed",
				"Warning: Another Terraform state may have this", "A liqo_shortcut already has it, made by")
			end.Unchanged()
		}
		p.Write("main.tf", lab.Contexts(forgetting(acctest.RomeMilan)))
		p.Run("apply", "-auto-approve")
		rome.Unchanged()
		milan.Unchanged()
	}).Lost
	if lost > 0 {
		t.Errorf("%d packets were lost", lost)
	}
	p.Works()

	t.Log("Each end can be changed on its own.")
	milan.Write("main.tf", strings.Replace(milan.Read("main.tf"), `service_type      = "NodePort"`,
		`service_type      = "NodePort"
		  service_labels    = { team = "net" }`, 1))
	acctest.Says(t, milan.Again(), "0 added, 1 changed, 0 destroyed")

	t.Log("Both teams let go of their end, and it is one shortcut again.")
	lost = p.Measure("two ends become a shortcut", acctest.Patiently, func() {
		rome.Remove("import.tf")
		milan.Remove("import.tf")
		rome.Forget("liqo_configuration.milan", "liqo_gateway_client.milan", "liqo_public_key.milan")
		milan.Forget("liqo_configuration.rome", "liqo_gateway_server.rome", "liqo_public_key.rome")
		p.Configure(`server_gateway = {
			  service_type   = "NodePort"
			  service_labels = { team = "net" }
			}
			adopt_existing = true`)
		p.Write("import.tf", "import {\n  to = "+acctest.RomeMilan+"\n  id = \"rome/milan\"\n}\n")
		acctest.Says(t, p.Run("apply", "-auto-approve"), "1 imported, 0 added, 1 changed, 0 destroyed")
		p.Unchanged()
	}).Lost
	if lost > 0 {
		t.Errorf("%d packets were lost", lost)
	}
	p.Works()
}
