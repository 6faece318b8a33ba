package ownership

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccLeavesAreReached(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	leaves, certified := lab.ReachedAsAdministrator(t, "rome", "milan"), lab.Config(t, "rome")
	rome, milan := leaves["rome"], leaves["milan"]
	content, err := os.ReadFile(lab.Cluster(t, "milan").Kubeconfig)
	acctest.Must(t, err)
	for name, provider := range map[string]string{
		"by a kubeconfig file for each": fmt.Sprintf(`
			provider "liqo" {
			  clusters = {
			    rome  = { config_path = %q }
			    milan = { config_paths = ["/dev/null", %q], config_context = "milan" }
			  }
			}`, lab.Cluster(t, "rome").Kubeconfig, lab.Cluster(t, "milan").Kubeconfig),
		"by host and client certificate, and through a user of another kubeconfig": fmt.Sprintf(`
			provider "liqo" {
			  config_path = %q
			  clusters = {
			    rome  = { host = %q, client_certificate = %q, client_key = %q, cluster_ca_certificate = %q }
			    milan = { config_context = "rome", config_context_cluster = "milan", config_context_auth_info = "milan" }
			  }
			}`, lab.Kubeconfig, rome.Host, certified.CertData, certified.KeyData, rome.ClusterCACertificate),
		"by host and token, and by the text of a kubeconfig": fmt.Sprintf(`
			provider "liqo" {
			  clusters = {
			    rome  = { host = %q, token = %q, cluster_ca_certificate = %q }
			    milan = { config_content = %q }
			  }
			}`, rome.Host, rome.Token, rome.ClusterCACertificate, content),
		"by a program that prints a token": fmt.Sprintf(`
			provider "liqo" {
			  clusters = {
			    rome = { config_path = %q }
			    milan = {
			      host                   = %q
			      cluster_ca_certificate = %q
			      exec = {
			        api_version = "client.authentication.k8s.io/v1"
			        command     = "sh"
			        args        = ["-c", "echo \"{\\\"apiVersion\\\":\\\"client.authentication.k8s.io/v1\\\",\\\"kind\\\":\\\"ExecCredential\\\",\\\"status\\\":{\\\"token\\\":\\\"$MILAN_TOKEN\\\"}}\""]
			        env         = { MILAN_TOKEN = %q }
			      }
			    }
			  }
			}`, lab.Cluster(t, "rome").Kubeconfig, milan.Host, milan.ClusterCACertificate, milan.Token),
	} {
		t.Run(name, func(t *testing.T) {
			lab.KeepsInventory(t)
			lab.Applied(t, acctest.Required+provider+acctest.ShortcutInDefault).IsConnected()
		})
	}
}

func TestAccLeavesAreContextsOfTheKubeconfigInTheEnvironment(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.StateIn(t, "environment", `provider "liqo" {}`+acctest.ShortcutInDefault)
	p.Set("HOME", t.TempDir())
	p.Set("KUBE_CONFIG_PATH", lab.Kubeconfig)
	p.Apply()
	p.IsConnected()
}

func TestAccALeafIsReachedBelowAPathOfAProxy(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	between, rome := acctest.ProxyFor(t, lab.ReachedAsAdministrator(t, "rome")["rome"])
	const path = "/k8s/clusters/c-1" // as Rancher has it
	between.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		rest, below := strings.CutPrefix(r.URL.Path, path+"/")
		if !below {
			t.Errorf("a request is not below the path: %s %s", r.Method, r.URL.Path)
			w.WriteHeader(http.StatusNotFound)
			return true
		}
		r.URL.Path, r.URL.RawPath = "/"+rest, ""
		return false
	})
	lab.KeepsInventory(t)
	rome.Host += path
	shortcut := func(more string) string {
		return acctest.Required + lab.Listing("rome = "+rome.Entry()) + fmt.Sprintf(`
			resource "liqo_shortcut" "rome_milan" {
			  client           = "milan"
			  client_namespace = "default"
			  server           = "rome"
			  server_namespace = "default"
			  server_gateway   = { service_type = "NodePort", %s }
			}`, more)
	}
	const schemas = "GET /openapi/v3"
	readsSchemas := func(reads bool) {
		t.Helper()
		answers := between.Received()
		if answers[schemas+"/apis/networking.liqo.io/v1beta1"] > 0 != reads || answers[schemas] > 0 {
			t.Errorf("the schemas of Liqo's kinds are read: %v, and the requests are %v", !reads, answers)
		}
	}
	p := lab.Applied(t, shortcut(""))
	p.IsConnected()
	readsSchemas(false)
	// Not every Liqo has labels.
	p.Becomes(shortcut(`service_labels = { team = "network" }`), acctest.InPlace)
	p.IsConnected()
	readsSchemas(true)
}
