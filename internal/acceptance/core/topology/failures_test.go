package topology

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccFailureOfAnAPIServerDuringAndBeforeTheWork(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	t.Cleanup(func() {
		lab.Command(t, "start-apiserver", "milan")
		lab.Command(t, "set", "milan", "connect=true")
	})
	const (
		during = `
			resource "liqo_shortcut" "rome_milan" {
			  client   = "rome"
			  server   = "milan"
			  timeouts = { create = "` + acctest.Ample + `" }
			}`
		before = `
			resource "liqo_shortcut" "europe_milan" {
			  client = "europe"
			  server = "milan"
			}`
		headline = `The API server can't be reached on leaf "milan"`
		advice   = `Check that the cluster runs and that its address can be reached from here.`
	)
	stopped := make(chan struct{})
	acctest.Apply(t,
		resource.TestStep{
			PreConfig: func() {
				lab.Command(t, "set", "milan", "connect=false")
				// A gateway creates its Connection when it has the other gateway's key. When both have, the apply waits only
				// for the tunnel.
				atClient := lab.Happens(t, "rome", &networkingv1beta1.ConnectionList{}, watch.Added)
				atServer := lab.Happens(t, "milan", &networkingv1beta1.ConnectionList{}, watch.Added)
				go func() {
					defer close(stopped)
					<-atClient
					<-atServer
					lab.Command(t, "stop-apiserver", "milan")
				}()
			},
			Config: lab.Contexts(during),
			ExpectError: acctest.Message(headline,
				`Time ran out while waiting for the tunnel to come up on "milan".`,
				`The connection failed: 127.0.0.1:…: connect: connection refused`, advice, `How far it got:`,
				acctest.HelpAt("api-server-unreachable")),
		},
		resource.TestStep{
			PreConfig: func() { <-stopped },
			Config:    lab.Contexts(before + during),
			ExpectError: acctest.Message(
				headline, `…with liqo_shortcut.europe_milan,`, `…The connection failed: 127.0.0.1:…: connect: `+
					`connection refused`,
				advice,
			),
		},
		resource.TestStep{
			PreConfig: func() {
				lab.Command(t, "start-apiserver", "milan")
				lab.Command(t, "set", "milan", "connect=true")
			},
			// The process that lost the API server could not release its Lease there. So this step waits until the Lease has
			// expired.
			Config:            lab.Contexts(strings.Replace(during, acctest.Ample, "5m", 1)),
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
	)
}

func TestAccFailureOfCredentialsLosesNothing(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	milan := lab.ReachedAsAdministrator(t, "milan")["milan"]
	reached := func(token, ca string) string {
		return lab.Listing(
			"milan = "+acctest.Leaf{Host: milan.Host, ClusterCACertificate: ca, Token: token}.Entry(),
		) + acctest.ShortcutInDefault
	}
	acctest.Apply(t,
		resource.TestStep{
			Config:            reached(milan.Token, milan.ClusterCACertificate),
			ConfigStateChecks: []statecheck.StateCheck{acctest.IsConnected},
		},
		resource.TestStep{
			Config: reached("expired", milan.ClusterCACertificate), PlanOnly: true,
			ExpectError: acctest.Message(`The API server refuses the credentials on leaf "milan"`, `The answer was: `+
				`Unauthorized`,
				`They may have expired: renew the token or certificate that the provider block or the kubeconfig `+
					`gives for `+
					`this leaf.`, acctest.HelpAt("credentials-refused")),
		},
		resource.TestStep{ // this is an error only for a new shortcut
			Config: reached(milan.Token, string(lab.Config(t, "rome").CAData)) + `
				resource "liqo_shortcut" "europe_milan" {
				  client = "europe"
				  server = "milan"
				}`,
			PlanOnly: true,
			ExpectError: acctest.Message(`The API server's certificate is not trusted on leaf "milan"`,
				`…with liqo_shortcut.europe_milan,`,
				`…The connection failed: 127.0.0.1:…: tls: failed to verify certificate: x509: certificate signed `+
					`by unknown `+
					`authority`,
				"…Check `cluster_ca_certificate`, `tls_server_name` and `host`, or the kubeconfig: they may belong "+
					"to another "+
					"cluster.", acctest.HelpAt("certificate-untrusted")),
		},
		resource.TestStep{
			Config:           reached(milan.Token, milan.ClusterCACertificate),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
	)
}
