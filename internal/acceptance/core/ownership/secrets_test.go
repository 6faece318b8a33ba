package ownership

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccSecretsAreInNothingThatIsWritten(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	rome, milan := lab.Credentials(t, "rome"), lab.Credentials(t, "milan")
	content, err := os.ReadFile(lab.Cluster(t, "milan").Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	p := lab.StateIn(t, "secrets", "")
	written, refused := t.TempDir(), "a-token-that-is-planted-and-refused"
	for name, value := range map[string]string{
		"TMPDIR": written, "TF_LOG": "TRACE", "TF_LOG_PATH": filepath.Join(written, "log"),
		"TF_VAR_token": rome.Token, "TF_VAR_content": string(content),
	} {
		p.Set(name, value)
	}
	planted := map[string]string{}
	for _, name := range []string{"password", "proxy", "scheme", "env"} {
		planted[name] = "a-secret-that-is-planted-as-" + name
	}
	p.SetJSON("TF_VAR_planted", planted)
	inBlock := fmt.Sprintf(`
		variable "token" { sensitive = true }
		variable "content" { sensitive = true }
		variable "planted" {
		  type      = map(string)
		  sensitive = true
		}
		provider "liqo" {
		  clusters = {
		    rome    = { host = %q, token = var.token, cluster_ca_certificate = %q }
		    milan   = { config_content = var.content }
		    bolzano = { host = "https://127.0.0.1:1", username = "alice", password = var.planted.password }
		    como    = { host = "https://127.0.0.1:1", proxy_url = "http://alice:${var.planted.proxy}@127.0.0.1:1" }
		    pisa    = { host = "https://127.0.0.1:1", proxy_url = "socks5h://alice:${var.planted.scheme}@127.0.0.1:1" }
		    siena   = { through = "rome" }
		    lucca   = { host = "https://127.0.0.1:1", exec = {
		      api_version = "client.authentication.k8s.io/v1", command = "false", env = { SECRET = var.planted.env }
		    } }
		  }
		}`, rome.Server, rome.CA)
	acctest.DestroyAtLast(p)
	p.Configure(
		inBlock + strings.Replace(acctest.ShortcutInDefault, acctest.OverNodePort,
			acctest.OverNodePort+"\nkey_rotation = 1", 1),
	)
	outputs := crashes(t, lab, p, written)
	outputs += p.Run("apply", "-auto-approve") + p.Run("plan") + p.Run("show", "-json")
	p.Configure(
		inBlock + strings.Replace(acctest.ShortcutInDefault, acctest.OverNodePort,
			acctest.OverNodePort+"\nkey_rotation = 2", 1),
	)
	outputs += p.Run("apply", "-auto-approve")
	for name, says := range map[string]string{
		"bolzano": "can't be reached", "como": "can't be reached", "pisa": `has the scheme "socks5h"`,
		"siena": "has no Identity", "lucca": "credential plugin",
	} {
		p.Write("read.tf", fmt.Sprintf("data \"liqo_cluster\" \"other\" {\n  name = %q\n}\n", name))
		said := p.Refused("plan")
		if outputs += said; !strings.Contains(acctest.Unbroken(said), says) {
			t.Errorf("%s: %q is missing in:\n%s", name, says, said)
		}
	}
	p.Remove("read.tf")
	p.Set("TF_VAR_token", refused)
	outputs += p.Refused("plan")

	// Terraform keeps the values of variables in a saved plan, so this plan has none.
	p.Configure(fmt.Sprintf("provider \"liqo\" {\n  config_path = %q\n}\n", lab.Kubeconfig) + acctest.ShortcutInDefault)
	outputs += p.Run("plan", "-replace="+acctest.RomeMilan, "-out=saved.tfplan") + p.Run("show", "-json", "saved.tfplan")
	p.Write(filepath.Join(written, "outputs"), outputs)

	secrets := map[string][]byte{
		"a token": []byte(rome.Token), "a token that is refused": []byte(refused),
		"a client key":                 acctest.Middle(milan.Key),
		"a client key of a kubeconfig": acctest.Middle(base64.StdEncoding.EncodeToString([]byte(milan.Key))),
	}
	for name, value := range planted {
		secrets["the "+name] = []byte(value)
	}
	for at, remote := range map[string]string{"rome": "milan", "milan": "rome"} {
		secrets["the private key of a gateway on "+at] = privateKey(t, lab, at, remote)
	}
	files := append(acctest.FilesIn(t, written), acctest.FilesIn(t, p.Dir)...)
	for _, expected := range []string{"log", "outputs", "terraform.tfstate", "saved.tfplan/tfplan"} {
		if !have(files, expected) {
			t.Errorf("%s was not searched", expected)
		}
	}
	for _, file := range files {
		for name, secret := range secrets {
			if bytes.Contains(file.Content, secret) {
				t.Errorf("%s is in %s", name, file.Name)
			}
		}
	}
}

// crashes lets the provider dump what it does, and end, in the middle of a create. It returns Terraform's output. The
// dump is in Terraform's log.
func crashes(t *testing.T, l *acctest.Lab, p *acctest.Project, written string) (output string) {
	t.Helper()
	p.Set("GOTRACEBACK", "all")
	working := l.Happens(t, "milan", &networkingv1beta1.GatewayServerList{}, watch.Added)
	running := p.Begin("apply", "-auto-approve")
	<-working
	if err := running.SignalProvider(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	output, _ = running.Wait()
	log, err := os.ReadFile(filepath.Join(written, "log"))
	if err != nil {
		t.Fatal(err)
	}
	acctest.Says(t, string(log), "SIGQUIT: quit", "shortcut.(*Shortcut).Connect")
	return output
}

// A plan and its apply may each get a new token. Terraform asks for ephemeral values again when it applies a saved
// plan.
func TestAccAnEphemeralTokenIsNotInASavedPlanAndMayChangeBeforeTheApply(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	leaves := lab.ReachedAsAdministrator(t, "rome", "milan")
	p := lab.StateIn(t, "ephemeral", "")
	config := `
		variable "tokens" {
		  type      = map(string)
		  ephemeral = true
		}
		provider "liqo" {
		  clusters = {`
	tokens := map[string]string{}
	for name, at := range leaves {
		config += fmt.Sprintf("\n%s = { host = %q, cluster_ca_certificate = %q, token = var.tokens[%[1]q] }", name, at.Host,
			at.ClusterCACertificate)
		tokens[name] = at.Token
	}
	acctest.DestroyAtLast(p)
	p.SetJSON("TF_VAR_tokens", tokens)
	p.Write("main.tf", acctest.Required+config+"\n}\n}\n"+acctest.ShortcutInDefault)
	if output, err := p.Command(t.Context(), "init").CombinedOutput(); err != nil {
		acctest.Says(t, string(output), `An argument named "ephemeral" is not expected here`)
		t.Log("This version of Terraform does not know ephemeral variables, and says so.")
		p.Write("main.tf", acctest.Required)
		return
	}
	p.Run("plan", "-out=saved.tfplan")
	renewed := map[string]string{}
	for name := range leaves {
		renewed[name] = anotherToken(t, lab, name)
	}
	p.SetJSON("TF_VAR_tokens", renewed)
	acctest.Says(t, p.Run("apply", "saved.tfplan"), "1 added, 0 changed, 0 destroyed")
	for _, file := range acctest.FilesIn(t, p.Dir) {
		for name := range leaves {
			if bytes.Contains(file.Content, []byte(tokens[name])) || bytes.Contains(file.Content, []byte(renewed[name])) {
				t.Errorf("a token of %s is in %s", name, file.Name)
			}
		}
	}
}

// anotherToken returns a further token of the administrator that the test has made.
func anotherToken(t *testing.T, l *acctest.Lab, name string) string {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "acceptance-test"}}
	request := &authenticationv1.TokenRequest{}
	if err := l.Client(t, name).SubResource("token").Create(t.Context(), account, request); err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

// privateKey returns the WireGuard key of the gateway on a cluster for another one, as a Secret in JSON has it.
func privateKey(t *testing.T, l *acctest.Lab, at, remote string) []byte {
	t.Helper()
	var keys corev1.Secret
	name := client.ObjectKey{Namespace: "default", Name: "gw-" + remote}
	if err := l.Client(t, at).Get(t.Context(), name, &keys); err != nil {
		t.Fatal(err)
	}
	key := keys.Data[consts.PrivateKeyField]
	if len(key) == 0 {
		t.Fatalf("Secret %s on %q has no private key", name, at)
	}
	return []byte(base64.StdEncoding.EncodeToString(key))
}

func have(f []acctest.WrittenFile, end string) bool {
	for _, file := range f {
		if strings.HasSuffix(file.Name, "/"+end) && len(file.Content) > 0 {
			return true
		}
	}
	return false
}
