package ownership

import (
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccSecretsAreInNothingThatIsWritten(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	rome, milan := lab.ReachedAsAdministrator(t, "rome")["rome"], lab.Config(t, "milan")
	content, err := os.ReadFile(lab.Cluster(t, "milan").Kubeconfig)
	acctest.Must(t, err)
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
		    siena   = { credentials_from = "rome" }
		    lucca   = { host = "https://127.0.0.1:1", exec = {
		      api_version = "client.authentication.k8s.io/v1", command = "false", env = { SECRET = var.planted.env }
		    } }
		  }
		}`, rome.Host, rome.ClusterCACertificate)
	rotated := func(number int) string {
		return inBlock + acctest.FromTo("rome_milan", "rome", "milan",
			fmt.Sprintf("%s\nkey_rotation_trigger = %d", acctest.OverNodePort+acctest.InDefault, number))
	}
	p.Configure(rotated(1))

	// In the middle of a create, the provider dumps what it does into Terraform's log, and ends.
	p.Set("GOTRACEBACK", "all")
	working := lab.Happens(t, "milan", &networkingv1beta1.GatewayServerList{}, watch.Added)
	running := p.Begin("apply", "-auto-approve")
	running.Until(working)
	acctest.Must(t, running.SignalProvider(syscall.SIGQUIT))
	outputs, _ := running.Wait()
	acctest.Says(t, string(acctest.FilesIn(t, written)["log"]), "SIGQUIT: quit", "shortcut.(*Shortcut).Connect")

	outputs += p.Run("apply", "-auto-approve") + p.Run("plan") + p.Run("show", "-json")
	p.Configure(rotated(2))
	outputs += p.Run("apply", "-auto-approve")
	for name, says := range map[string]string{
		"bolzano": "can't be reached", "como": "The proxy does not connect", "pisa": `has the scheme "socks5h"`,
		"siena": "has no Identity", "lucca": "credential plugin",
	} {
		p.Write("read.tf", fmt.Sprintf("data \"liqo_cluster\" \"other\" {\n  name = %q\n}\n", name))
		said := p.Refused("plan")
		outputs += said
		acctest.Says(t, said, says)
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
		"a client key":                 acctest.Middle(string(milan.KeyData)),
		"a client key of a kubeconfig": acctest.Middle(base64.StdEncoding.EncodeToString(milan.KeyData)),
	}
	for name, value := range planted {
		secrets["the "+name] = []byte(value)
	}
	for at, remote := range acctest.Other {
		keys := acctest.Get[corev1.Secret](t, lab, at, "default", "gw-"+remote)
		if len(keys.Data[consts.PrivateKeyField]) == 0 {
			t.Fatalf("Secret %s on %q has no private key", keys.Name, at)
		}
		key := base64.StdEncoding.EncodeToString(keys.Data[consts.PrivateKeyField]) // as a Secret in JSON has it
		secrets["the private key of a gateway on "+at] = []byte(key)
	}
	files := acctest.FilesIn(t, p.Dir)
	maps.Copy(files, acctest.FilesIn(t, written))
	for _, expected := range []string{"log", "outputs", "terraform.tfstate", "saved.tfplan/tfplan"} {
		if len(files[expected]) == 0 {
			t.Errorf("%s was not searched", expected)
		}
	}
	acctest.InNone(t, files, secrets)
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
	p.SetJSON("TF_VAR_tokens", tokens)
	p.Write("main.tf", acctest.Required+config+"\n}\n}\n"+acctest.ShortcutInDefault)
	if output, err := p.Command(t.Context(), "init").CombinedOutput(); err != nil {
		acctest.Says(t, string(output), `An argument named "ephemeral" is not expected here`)
		t.Log("This version of Terraform does not know ephemeral variables, and says so.")
		p.Write("main.tf", acctest.Required)
		return
	}
	p.Run("plan", "-out=saved.tfplan")
	renewed, secrets := map[string]string{}, map[string][]byte{}
	for name := range leaves {
		renewed[name] = lab.NewToken(t, name, acctest.Named(&corev1.ServiceAccount{}, "liqo", "administrator"))
		secrets["the first token of "+name] = []byte(tokens[name])
		secrets["the second token of "+name] = []byte(renewed[name])
	}
	p.SetJSON("TF_VAR_tokens", renewed)
	acctest.Says(t, p.Run("apply", "saved.tfplan"), acctest.Created)
	acctest.InNone(t, acctest.FilesIn(t, p.Dir), secrets)
}
