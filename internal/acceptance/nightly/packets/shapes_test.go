package packets

import (
	"encoding/base64"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccPacketsCrossWhileAShortcutBecomesTwoEndsAndBack(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	lab.TakesTenantNamespaces(t)
	p := lab.Join(t, "milan", acctest.OverNodePort)
	p.Write("endpoint.tf", "output \"endpoint\" {\n  value = "+acctest.RomeMilan+".server_endpoint\n}\n")
	p.Run("apply", "-auto-approve")
	endpoint := p.Run("output", "-json", "endpoint")
	p.Remove("endpoint.tf")
	ends := map[string]*acctest.Project{}
	for cluster, remote := range map[string]string{"rome": "milan", "milan": "rome"} {
		key := acctest.Get[networkingv1beta1.PublicKey](t, lab.Lab, cluster, "liqo-tenant-"+remote, remote)
		end, other := lab.NewProject(t, "testdata/ends/"+cluster), lab.Cluster(t, remote)
		end.SetJSON("TF_VAR_"+remote, map[string]string{
			"pod_cidr": other.PodCIDR, "external_cidr": other.ExternalCIDR,
			"public_key": base64.StdEncoding.EncodeToString(key.Spec.PublicKey),
		})
		end.Set("TF_VAR_endpoint", endpoint)
		end.Run("init")
		ends[cluster] = end
	}
	rome, milan := ends["rome"], ends["milan"]

	lost := p.Measure("a shortcut becomes two ends", acctest.Patiently, func() {
		for _, end := range []*acctest.Project{rome, milan} {
			acctest.Says(t, end.Run("apply", "-auto-approve"), "3 imported, 0 added, 0 changed, 0 destroyed",
				"Warning: Another Terraform state may have this", "A liqo_shortcut already has it, made by")
			end.Unchanged()
		}
		p.Forget(acctest.RomeMilan)
		rome.Unchanged()
		milan.Unchanged()
	}).Lost
	if lost > 0 {
		t.Errorf("%d packets were lost", lost)
	}
	p.Works()

	t.Log("Each end can be changed on its own.")
	milan.ReplaceIn("main.tf", `"NodePort"`, `"NodePort"
		service_labels = { team = "net" }`)
	acctest.Says(t, milan.Again(), acctest.InPlace)

	t.Log("Both teams let go of their end, and it is one shortcut again.")
	lost = p.Measure("two ends become a shortcut", acctest.Patiently, func() {
		rome.Remove("import.tf")
		milan.Remove("import.tf")
		rome.Forget("liqo_configuration.milan", "liqo_gateway_client.milan", "liqo_public_key.milan")
		milan.Forget("liqo_configuration.rome", "liqo_gateway_server.rome", "liqo_public_key.rome")
		p.Configure(`server_gateway = {
			  service_type   = "NodePort"
			  service_labels = { team = "net" }
			}`)
		p.Write("import.tf", "import {\n  to = "+acctest.RomeMilan+"\n  id = \"rome/milan\"\n}\n")
		acctest.Says(t, p.Run("apply", "-auto-approve"), "1 imported, 0 added, 0 changed, 0 destroyed")
		p.Unchanged()
	}).Lost
	if lost > 0 {
		t.Errorf("%d packets were lost", lost)
	}
	p.Works()
}
