package packets

import (
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m, acctest.WithTenantNamespaces) }

func TestAccPacketsCrossThroughANATThatOnlyTheClientKnows(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "milan", fmt.Sprintf(`
		server_gateway = { service_type = "NodePort", node_port = 31500 }
		client_gateway = { server_address = %q }`, lab.Cluster(t, "milan").NATIP))
	p.Works()
	if status := p.Run("state", "show", acctest.RomeMilan); !strings.Contains(status, lab.NodeAddress(t, "milan")) {
		t.Errorf("the server's own endpoint is not in the state:\n%s", status)
	}
}

func TestAccPacketsAreAsLargeAsTheMTUSays(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	const mtu, headers = 1280, 28
	p := lab.Join(t, "milan", fmt.Sprintf("mtu = %d\n%s", mtu, acctest.OverNodePort))
	p.Works()
	sized := func(size int) acctest.ProbeResult {
		return lab.Probe(t, "ping", "rome", p.ServerAt, "--df", "--timeout=5s", "--size", strconv.Itoa(size-headers))
	}
	if result := sized(mtu); result.Lost > 0 {
		t.Errorf("packets of %d bytes: %+v", mtu, result)
	}
	if result := sized(mtu + 1); result.Received > 0 {
		t.Errorf("packets of %d bytes: %+v", mtu+1, result)
	}
}

func TestAccPacketsCrossWithKeysOfOnesOwn(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	lab.HaveKeys(t, "rome", "my-keys")
	lab.HaveKeys(t, "milan", "my-keys")
	p := lab.Join(t, "milan", `
		server_gateway   = { service_type = "NodePort", key_secret_name = "my-keys" }
		client_gateway   = { key_secret_name = "my-keys" }
		client_namespace = "default"
		server_namespace = "default"`)
	p.Works()
	// A tenant namespace goes with its last pod. In any other one, Kubernetes ends a gateway's pod after the destroy.
	var pods []<-chan struct{}
	for _, cluster := range []string{"rome", "milan"} {
		pods = append(pods, lab.Gone(t, cluster, &corev1.PodList{}, client.InNamespace("default"),
			client.HasLabels{consts.GatewayNameLabel}))
	}
	p.Run("destroy", "-auto-approve")
	for _, gone := range pods {
		<-gone
	}
	acctest.Get[corev1.Secret](t, lab.Lab, "milan", "default", "my-keys") // the destroy keeps it
}

func TestAccPacketsCrossWithoutALossOnceTheFirstOneHas(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "europe",
		acctest.OverNodePort) // both leaves have the same pod CIDR, so all addresses are translated
	p.Run("destroy", "-auto-approve")
	create := p.Command(t.Context(), "apply", "-auto-approve")
	acctest.Must(t, create.Start())
	lab.Probe(t, "ping", "rome", p.ServerAt, "--until-answer", "--count=6000", "--timeout=100ms")
	ping := lab.StartProbe(t, "ping", "rome", p.ServerAt, "--count=1000000", "--interval=10ms", acctest.Patiently)
	acctest.Must(t, create.Wait())
	lab.Reaches(t, "europe", p.RomeAt)
	if result := ping(os.Interrupt); result.Lost > 0 || result.Received == 0 {
		t.Errorf("packets are lost while the create records that it is complete: %+v", result)
	}
}

func TestAccPacketsCrossWhileAShortcutBecomesTwoEndsAndBack(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	lab.TakesTenantNamespaces(t)
	p := lab.Join(t, "milan", acctest.OverNodePort)
	p.Write("endpoint.tf", "output \"endpoint\" {\n  value = "+acctest.RomeMilan+".server_endpoint\n}\n")
	p.Run("apply", "-auto-approve")
	endpoint := p.Run("output", "-json", "endpoint")
	p.Remove("endpoint.tf")
	ends := map[string]*acctest.Project{}
	for cluster, remote := range acctest.Other {
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

	losesNothing := func(name string, happens func()) {
		t.Helper()
		if lost := p.Measure(name, acctest.Patiently, happens).Lost; lost > 0 {
			t.Errorf("%s: %d packets were lost", name, lost)
		}
		p.Works()
	}
	losesNothing("a shortcut becomes two ends", func() {
		for _, end := range []*acctest.Project{rome, milan} {
			acctest.Says(t, end.Run("apply", "-auto-approve"), "3 imported, 0 added, 0 changed, 0 destroyed",
				"Warning: Another Terraform state may have this", "A liqo_shortcut already has it, made by")
			end.Unchanged()
		}
		p.Forget(acctest.RomeMilan)
		rome.Unchanged()
		milan.Unchanged()
	})

	t.Log("Each end can be changed on its own.")
	milan.ReplaceIn("main.tf", `"NodePort"`, `"NodePort"
		service_labels = { team = "net" }`)
	acctest.Says(t, milan.Again(), acctest.InPlace)

	t.Log("Both teams let go of their end, and it is one shortcut again.")
	losesNothing("two ends become a shortcut", func() {
		rome.Remove("import.tf")
		milan.Remove("import.tf")
		rome.Forget("liqo_configuration.milan", "liqo_gateway_client.milan", "liqo_public_key.milan")
		milan.Forget("liqo_configuration.rome", "liqo_gateway_server.rome", "liqo_public_key.rome")
		p.Configure(`server_gateway = {
			  service_type   = "NodePort"
			  service_labels = { team = "net" }
			}`)
		p.Write("import.tf", acctest.ImportRomeMilan)
		acctest.Says(t, p.Run("apply", "-auto-approve"), "1 imported, 0 added, 0 changed, 0 destroyed")
		p.Unchanged()
	})
}
