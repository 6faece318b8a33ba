package acceptance

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const shortcutRomeMilan = `
	resource "liqo_shortcut" "rome_milan" {
	  client         = "rome"
	  server         = "milan"
	  server_gateway = { service_type = "NodePort" }
	}`

func TestAccLeavesAreReached(t *testing.T) {
	lab := borrowLab(t)
	rome, milan := lab.credentials(t, "rome"), lab.credentials(t, "milan")
	content, err := os.ReadFile(lab.cluster(t, "milan").Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	for name, provider := range map[string]string{
		"by a kubeconfig file for each": fmt.Sprintf(`
			provider "liqo" {
			  clusters = {
			    rome  = { config_path = %q }
			    milan = { config_paths = ["/dev/null", %q], config_context = "milan" }
			  }
			}`, lab.cluster(t, "rome").Kubeconfig, lab.cluster(t, "milan").Kubeconfig),
		"by host and client certificate, and through a user of another kubeconfig": fmt.Sprintf(`
			provider "liqo" {
			  config_path = %q
			  clusters = {
			    rome  = { host = %q, client_certificate = %q, client_key = %q, cluster_ca_certificate = %q }
			    milan = { config_context = "rome", config_context_cluster = "milan", config_context_auth_info = "milan" }
			  }
			}`, lab.Kubeconfig, rome.server, rome.certificate, rome.key, rome.ca),
		"by host and token, and by the text of a kubeconfig": fmt.Sprintf(`
			provider "liqo" {
			  clusters = {
			    rome  = { host = %q, token = %q, cluster_ca_certificate = %q }
			    milan = { config_content = %q }
			  }
			}`, rome.server, rome.token, rome.ca, content),
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
			}`, lab.cluster(t, "rome").Kubeconfig, milan.server, milan.ca, milan.token),
	} {
		t.Run(name, func(t *testing.T) {
			lab.keepsInventory(t)
			apply(t, resource.TestStep{
				Config: provider + shortcutRomeMilan, ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
			})
		})
	}
}

func TestAccLeavesAreContextsOfTheKubeconfigInTheEnvironment(t *testing.T) {
	lab := borrowLab(t)
	p := lab.stateIn(t, "environment", `provider "liqo" {}`+shortcutRomeMilan)
	destroyAtLast(p)
	p.set("HOME", t.TempDir())
	p.set("KUBE_CONFIG_PATH", lab.Kubeconfig)
	p.apply()
	says(t, p.run("state", "show", romeMilan), `status = "Connected"`)
}

func TestAccCredentialsThatAreKnownOnlyAfterAnApplyDoNotFailThePlan(t *testing.T) {
	lab := borrowLab(t)
	apply(t, resource.TestStep{
		Config: fmt.Sprintf(`
			resource "terraform_data" "kubeconfig" {
			  input = %q
			}
			provider "liqo" {
			  config_path = terraform_data.kubeconfig.output
			}`, lab.Kubeconfig) + shortcutRomeMilan,
		ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
	})
}

func TestAccALeafIsReachedBelowAPathOfAProxy(t *testing.T) {
	lab := borrowLab(t)
	between, rome := proxyFor(t, lab.reachedAsAdministrator(t, "rome")["rome"])
	const path = "/k8s/clusters/c-1" // as Rancher has it
	between.disturb(servesBelow(t, path))
	lab.keepsInventory(t)
	rome.Host += path
	shortcut := func(more string) string {
		return lab.listing("rome = "+rome.entry()) + fmt.Sprintf(`
			resource "liqo_shortcut" "rome_milan" {
			  client         = "milan"
			  server         = "rome"
			  server_gateway = { service_type = "NodePort", %s }
			}`, more)
	}
	const schemas = "GET /openapi/v3"
	readsSchemas := func(reads bool) stateCheck {
		return func(_ context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
			answers := between.received()
			if answers[schemas+"/apis/networking.liqo.io/v1beta1"] > 0 != reads || answers[schemas] > 0 {
				resp.Error = fmt.Errorf("the schemas of Liqo's kinds are read: %v, and the requests are %v", !reads, answers)
			}
		}
	}
	labelled := shortcut(`service_labels = { team = "network" }`) // which not every Liqo has
	apply(t,
		resource.TestStep{
			Config: shortcut(""), ConfigStateChecks: []statecheck.StateCheck{expect("status", connected), readsSchemas(false)},
		},
		resource.TestStep{
			Config: labelled, ConfigPlanChecks: inPlace(),
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected), readsSchemas(true)},
		},
		resource.TestStep{
			Config:           labelled,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
	)
}

// servesBelow returns a fault of a [proxy] that has the API server below a path, and nothing elsewhere. A request for
// anything else fails the test.
func servesBelow(t *testing.T, path string) func(http.ResponseWriter, *http.Request) bool {
	t.Helper()
	return func(w http.ResponseWriter, r *http.Request) bool {
		rest, ok := strings.CutPrefix(r.URL.Path, path+"/")
		if !ok {
			t.Errorf("a request is not below the path: %s %s", r.Method, r.URL.Path)
			w.WriteHeader(http.StatusNotFound)
			return true
		}
		r.URL.Path, r.URL.RawPath = "/"+rest, ""
		return false
	}
}

// secrets are a cluster's credentials as single values.
type secrets struct{ server, ca, certificate, key, token string }

func (l *Lab) credentials(t *testing.T, name string) secrets {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", l.cluster(t, name).Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	if err := rest.LoadTLSFiles(config); err != nil {
		t.Fatal(err)
	}
	return secrets{
		server: config.Host, ca: string(config.CAData), certificate: string(config.CertData), key: string(config.KeyData),
		token: administratorToken(t, config),
	}
}

// administratorToken returns the token of a ServiceAccount with all permissions. The account is removed at the end of
// the test.
func administratorToken(t *testing.T, config *rest.Config) string {
	t.Helper()
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	name := metav1.ObjectMeta{Name: "acceptance-test"}
	accounts, bindings := kube.CoreV1().ServiceAccounts(metav1.NamespaceDefault), kube.RbacV1().ClusterRoleBindings()
	if _, err := accounts.Create(
		t.Context(), &corev1.ServiceAccount{ObjectMeta: name}, metav1.CreateOptions{},
	); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = accounts.Delete(context.WithoutCancel(t.Context()), name.Name, metav1.DeleteOptions{}) })
	_, err = bindings.Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: name,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: metav1.NamespaceDefault, Name: name.Name}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bindings.Delete(context.WithoutCancel(t.Context()), name.Name, metav1.DeleteOptions{}) })
	token, err := accounts.CreateToken(t.Context(), name.Name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return token.Status.Token
}
