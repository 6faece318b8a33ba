package acceptance

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
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
)

func TestAccSecretsAreInNothingThatIsWritten(t *testing.T) {
	lab := borrowLab(t)
	rome, milan := lab.credentials(t, "rome"), lab.credentials(t, "milan")
	content, err := os.ReadFile(lab.cluster(t, "milan").Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	p := lab.stateIn(t, "secrets", "")
	written, refused := t.TempDir(), "a-token-that-is-planted-and-refused"
	for name, value := range map[string]string{
		"TMPDIR": written, "TF_LOG": "TRACE", "TF_LOG_PATH": filepath.Join(written, "log"),
		"TF_VAR_token": rome.token, "TF_VAR_content": string(content),
	} {
		p.set(name, value)
	}
	planted := map[string]string{}
	for _, name := range []string{"password", "proxy", "scheme", "env"} {
		planted[name] = "a-secret-that-is-planted-as-" + name
	}
	p.setJSON("TF_VAR_planted", planted)
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
		}`, rome.server, rome.ca)
	destroyAtLast(p)
	p.configure(inBlock + strings.Replace(shortcutRomeMilan, overNodePort, overNodePort+"\nkey_rotation = 1", 1))
	outputs := lab.crashes(t, p, written)
	outputs += p.run("apply", "-auto-approve") + p.run("plan") + p.run("show", "-json")
	p.configure(inBlock + strings.Replace(shortcutRomeMilan, overNodePort, overNodePort+"\nkey_rotation = 2", 1))
	outputs += p.run("apply", "-auto-approve")
	for name, says := range map[string]string{
		"bolzano": "can't be reached", "como": "can't be reached", "pisa": `has the scheme "socks5h"`,
		"siena": "has no Identity", "lucca": "credential plugin",
	} {
		p.write("read.tf", fmt.Sprintf("data \"liqo_cluster\" \"other\" {\n  name = %q\n}\n", name))
		said := p.refused("plan")
		if outputs += said; !strings.Contains(unbroken(said), says) {
			t.Errorf("%s: %q is missing in:\n%s", name, says, said)
		}
	}
	p.remove("read.tf")
	p.set("TF_VAR_token", refused)
	outputs += p.refused("plan")

	// Terraform keeps the values of variables in a saved plan, so this plan has none.
	p.configure(fmt.Sprintf("provider \"liqo\" {\n  config_path = %q\n}\n", lab.Kubeconfig) + shortcutRomeMilan)
	outputs += p.run("plan", "-replace="+romeMilan, "-out=saved.tfplan") + p.run("show", "-json", "saved.tfplan")
	p.write(filepath.Join(written, "outputs"), outputs)

	secrets := map[string][]byte{
		"a token": []byte(rome.token), "a token that is refused": []byte(refused),
		"a client key":                 middle(milan.key),
		"a client key of a kubeconfig": middle(base64.StdEncoding.EncodeToString([]byte(milan.key))),
	}
	for name, value := range planted {
		secrets["the "+name] = []byte(value)
	}
	for at, remote := range map[string]string{"rome": "milan", "milan": "rome"} {
		secrets["the private key of a gateway on "+at] = lab.privateKey(t, at, remote)
	}
	files := append(filesIn(t, written), filesIn(t, p.dir)...)
	for _, expected := range []string{"log", "outputs", "terraform.tfstate", "saved.tfplan/tfplan"} {
		if !files.have(expected) {
			t.Errorf("%s was not searched", expected)
		}
	}
	for _, file := range files {
		for name, secret := range secrets {
			if bytes.Contains(file.content, secret) {
				t.Errorf("%s is in %s", name, file.name)
			}
		}
	}
}

// crashes lets the provider dump what it does, and end, in the middle of a create. It returns Terraform's output. The
// dump is in Terraform's log.
func (l *Lab) crashes(t *testing.T, p *project, written string) (output string) {
	t.Helper()
	p.set("GOTRACEBACK", "all")
	working := l.happens(t, "milan", &networkingv1beta1.GatewayServerList{}, watch.Added)
	running := p.begin("apply", "-auto-approve")
	<-working
	if err := running.signalProvider(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	output, _ = running.wait()
	log, err := os.ReadFile(filepath.Join(written, "log"))
	if err != nil {
		t.Fatal(err)
	}
	says(t, string(log), "SIGQUIT: quit", "shortcut.(*Shortcut).Connect")
	return output
}

// A plan and its apply may each get a new token. Terraform asks for ephemeral values again when it applies a saved
// plan.
func TestAccAnEphemeralTokenIsNotInASavedPlanAndMayChangeBeforeTheApply(t *testing.T) {
	lab := borrowLab(t)
	leaves := lab.reachedAsAdministrator(t, "rome", "milan")
	p := lab.stateIn(t, "ephemeral", "")
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
	destroyAtLast(p)
	p.setJSON("TF_VAR_tokens", tokens)
	p.write("main.tf", required+config+"\n}\n}\n"+shortcutRomeMilan)
	if output, err := p.command(t.Context(), "init").CombinedOutput(); err != nil {
		says(t, string(output), `An argument named "ephemeral" is not expected here`)
		t.Log("This version of Terraform does not know ephemeral variables, and says so.")
		p.write("main.tf", required)
		return
	}
	p.run("plan", "-out=saved.tfplan")
	renewed := map[string]string{}
	for name := range leaves {
		renewed[name] = lab.anotherToken(t, name)
	}
	p.setJSON("TF_VAR_tokens", renewed)
	says(t, p.run("apply", "saved.tfplan"), "1 added, 0 changed, 0 destroyed")
	for _, file := range filesIn(t, p.dir) {
		for name := range leaves {
			if bytes.Contains(file.content, []byte(tokens[name])) || bytes.Contains(file.content, []byte(renewed[name])) {
				t.Errorf("a token of %s is in %s", name, file.name)
			}
		}
	}
}

// anotherToken returns a further token of the administrator that the test has made.
func (l *Lab) anotherToken(t *testing.T, name string) string {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "acceptance-test"}}
	request := &authenticationv1.TokenRequest{}
	if err := l.client(t, name).SubResource("token").Create(t.Context(), account, request); err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

// middle returns a part of a text that no encoding of line breaks changes.
func middle(text string) []byte {
	lines := strings.Split(text, "\n")
	line := lines[len(lines)/2]
	return []byte(line[len(line)/4 : len(line)/2])
}

// privateKey returns the WireGuard key of the gateway on a cluster for another one, as a Secret in JSON has it.
func (l *Lab) privateKey(t *testing.T, at, remote string) []byte {
	t.Helper()
	var keys corev1.Secret
	name := client.ObjectKey{Namespace: "liqo-tenant-" + remote, Name: "gw-" + remote}
	if err := l.client(t, at).Get(t.Context(), name, &keys); err != nil {
		t.Fatal(err)
	}
	key := keys.Data[consts.PrivateKeyField]
	if len(key) == 0 {
		t.Fatalf("Secret %s on %q has no private key", name, at)
	}
	return []byte(base64.StdEncoding.EncodeToString(key))
}

// writtenFile is a file, or one in an archive.
type writtenFile struct {
	name    string
	content []byte
}

type writtenFiles []writtenFile

func (f writtenFiles) have(end string) bool {
	for _, file := range f {
		if strings.HasSuffix(file.name, "/"+end) && len(file.content) > 0 {
			return true
		}
	}
	return false
}

// filesIn returns all regular files in a folder, and those in saved plans, which are archives. Installed programs are
// links, and so are not among them.
func filesIn(t *testing.T, folder string) writtenFiles {
	t.Helper()
	var files writtenFiles
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		path = filepath.Join(folder, path)
		content, err := os.ReadFile(path)
		files = append(files, writtenFile{path, content})
		if err != nil || filepath.Ext(path) != ".tfplan" {
			return err
		}
		archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return err
		}
		for _, packed := range archive.File {
			reader, err := packed.Open()
			if err != nil {
				return err
			}
			unpacked, err := io.ReadAll(reader)
			files = append(files, writtenFile{path + "/" + packed.Name, unpacked})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
