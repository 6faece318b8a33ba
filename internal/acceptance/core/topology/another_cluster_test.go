package topology

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// everyResource is one resource of each type that is for Rome and Milan. The shortcut has the server's end of a pair,
// so the four resources of one end are for a cluster that does not exist.
const everyResource = `
	resource "liqo_shortcut" "rome_milan" {
	  client         = "rome"
	  server         = "milan"
	  server_gateway = { service_type = "NodePort" }
	}
	resource "liqo_configuration" "turin" {
	  cluster           = "rome"
	  remote_cluster_id = "turin"
	  pod_cidrs         = ["10.220.0.0/16"]
	  external_cidr     = "10.221.0.0/16"
	}
	resource "liqo_gateway_server" "turin" {
	  cluster           = "rome"
	  remote_cluster_id = "turin"
	  service_type      = "NodePort"
	}
	resource "liqo_gateway_client" "turin" {
	  cluster           = "milan"
	  remote_cluster_id = "turin"
	  server_endpoint   = { addresses = ["192.0.2.1"], port = 51840 }
	}
	resource "liqo_public_key" "turin" {
	  cluster           = "milan"
	  remote_cluster_id = "turin"
	  public_key        = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	}
	resource "liqo_direct_service" "web" {
	  cluster   = "rome"
	  namespace = "default"
	  name      = "web"
	}
	`

// stateFile returns the resources in the state of a project, as Terraform stores them.
func stateFile(p *acctest.Project) string {
	p.T.Helper()
	var state struct {
		Resources json.RawMessage `json:"resources"`
	}
	if err := json.Unmarshal([]byte(p.Run("state", "pull")), &state); err != nil {
		p.T.Fatal(err)
	}
	return string(state.Resources)
}

func TestAccTheCredentialsOfAnotherEnvironmentForgetNothing(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	lab.Have(t, "rome", &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
	})
	behind := func(rome, milan string) string {
		return lab.Listing(fmt.Sprintf("rome = { %s }, milan = { %s }", acctest.Entry(rome), acctest.Entry(milan))) +
			everyResource
	}
	production, staging := behind("rome", "milan"), behind("europe", "naples")
	p := lab.StateIn(t, "production", production)
	acctest.DestroyAtLast(p)
	p.Apply()
	state, networks := stateFile(p), lab.Networks(t)

	for name, ids := range map[string][2]string{
		"with other cluster IDs": {"europe", "naples"}, "with the same cluster IDs": {"rome", "milan"},
	} {
		t.Run(name, func(t *testing.T) {
			lab.CallCluster(t, "europe", ids[0])
			lab.CallCluster(t, "naples", ids[1])
			t.Cleanup(func() {
				lab.CallCluster(t, "europe", "europe")
				lab.CallCluster(t, "naples", "naples")
			})
			p.Configure(staging)
			acctest.Says(
				t,
				p.Refused("plan", "-destroy"),
				"Error: Another cluster",
				"Warning: Another cluster",
				fmt.Sprintf(
					`The name "rome" refers to cluster %q (UID %s) now, but the resource is for cluster "rome" (UID %s)`,
					ids[0], lab.IDObject(t, "europe").UID, lab.IDObject(t, "rome").UID),
				"Its state stays unchanged.",
			)
			acctest.Says(t, p.Refused("apply", "-auto-approve"), "Error: Another cluster", "Nothing is changed.",
				"If these are the credentials of another environment, use the right ones.")
			refused := p.Refused("destroy", "-auto-approve")
			acctest.Says(t, refused, "Error: Another cluster", "`terraform state rm`")
			acctest.DoesNotSay(t, refused, "Destruction complete")
			if now := stateFile(p); now != state {
				t.Errorf("the state has changed from:\n%s\nto:\n%s", state, now)
			}
			p.Configure(production)
			p.Unchanged()
		})
	}
	withoutStatus := func(lines []string) string { return strings.Join(acctest.WithoutLabels(lines), "\n") }
	if now := lab.Networks(t); withoutStatus(now) != withoutStatus(networks) {
		t.Errorf("the networks have changed from:\n%s\nto:\n%s", networks, now)
	}
}
