package acceptance

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAccExamplesAreAppliedUnchanged(t *testing.T) {
	lab := borrowTopology(t)
	for name, status := range map[string][]string{
		"resources/liqo_shortcut": {"liqo_shortcut.rome_milan"},
		"demo":                    {"liqo_shortcut.demo"},
		"mesh": {
			`liqo_shortcut.mesh["rome-milan"]`, `liqo_shortcut.mesh["rome-naples"]`, `liqo_shortcut.mesh["milan-naples"]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			lab.keepsInventory(t)
			p := lab.example(t, name)
			p.remove("import-*.tf") // they need an existing network
			p.set("TF_VAR_kubeconfig", lab.Kubeconfig)
			p.apply()
			for _, address := range status {
				says(t, p.run("state", "show", address), `status = "Connected"`)
			}
		})
	}
}

func TestAccExamplesOfDataSourcesAndFunctionsAreAppliedWithAProviderBlock(t *testing.T) {
	lab := borrowTopology(t)
	folders, err := filepath.Glob("../../examples/*s/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		kind, name := filepath.Base(filepath.Dir(folder)), filepath.Base(folder)
		if kind != "data-sources" && kind != "functions" {
			continue
		}
		t.Run(kind+"/"+name, func(t *testing.T) {
			p := lab.example(t, kind+"/"+name)
			block, err := os.ReadFile("../../examples/provider/provider.tf")
			if err != nil {
				t.Fatal(err)
			}
			p.write("provider.tf", string(block))
			p.run("init")
			p.run("apply", "-auto-approve")
		})
	}
}

func TestAccExamplesOfCredentialsReachTheLeaves(t *testing.T) {
	lab := borrowLab(t)
	leaves := lab.reachedAsAdministrator(t, "rome", "milan")
	rome := leaves["rome"]
	for name, prepare := range map[string]func(*project){
		"provider":          func(*project) {},
		"credentials/files": func(*project) {},
		"credentials/token": func(p *project) {
			p.setJSON("TF_VAR_leaves", leaves)
		},
		"credentials/exec": func(p *project) {
			p.setJSON("TF_VAR_rome", map[string]string{"host": rome.Host, "cluster_ca_certificate": rome.ClusterCACertificate})
			p.withProgram("aws", fmt.Sprintf("#!/bin/sh\n"+
				`[ "$AWS_PROFILE $*" = "rome eks get-token --cluster-name rome --output json" ] || exit 1`+"\n"+
				`echo '{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential",`+
				`"status":{"token":"%s"}}'`+"\n", rome.Token))
		},
	} {
		t.Run(name, func(t *testing.T) {
			lab.keepsInventory(t)
			p := lab.example(t, name)
			prepare(p)
			p.write("shortcut.tf", shortcutRomeMilan)
			p.apply()
			says(t, p.run("state", "show", romeMilan), `status = "Connected"`)
			state, err := os.ReadFile(p.dir + "/terraform.tfstate")
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(state), rome.Token) {
				t.Error("the token is in the state")
			}
		})
	}
}

func TestAccTheExampleOfEverySettingOfTheGateways(t *testing.T) {
	lab := borrowTopology(t)
	for _, leaf := range []string{"rome", "milan"} {
		lab.have(t, leaf, namespaceNamed("shortcuts"))
		lab.have(t, leaf, wireguardKeys(t, "shortcuts", "gateway-keys"))
	}
	p := lab.example(t, "gateways")
	p.set("TF_VAR_router", lab.nodeAddress(t, "europe"))
	p.apply()
	says(
		t, p.run("state", "show", "liqo_shortcut.rome_milan"), `status = "Connected"`, `addresses = [ "203.0.113.10", ]`,
		`port = 51850`,
	)
	says(t, p.run("state", "show", "liqo_shortcut.rome_europe"), `status = "Connected"`)
}

func TestAccTheExampleOfAnImportTakesOverANetworkMadeByLiqoctl(t *testing.T) {
	lab := borrowLab(t)
	p := lab.example(t, "import")
	lab.joinByHand(t, "rome", "milan")()
	p.run("init")
	says(t, p.run("apply", "-auto-approve"), "1 imported, 0 added, 0 changed, 0 destroyed")
	p.run("plan", "-detailed-exitcode")
}

func TestAccTheExampleOfAPictureIsWrittenToAFile(t *testing.T) {
	lab := borrowTopology(t)
	joined := lab.example(t, "resources/liqo_shortcut")
	joined.remove("import-*.tf")
	joined.apply()
	p := lab.example(t, "picture")
	p.apply()
	says(t, p.run("output", "-raw", "mermaid"), "flowchart LR", "rome", "==>", "milan")
	says(t, p.run("output", "-raw", "dot"), "digraph", "rome", "milan")
}

func TestAccTheExampleOfATestSucceedsAndLeavesNothingBehind(t *testing.T) {
	lab := borrowLab(t)
	p := lab.example(t, "test")
	p.run("init")
	says(t, p.run("test"), "3 passed, 0 failed")
}

func TestAccTheExampleOfACheckWarnsOfABrokenTunnel(t *testing.T) {
	lab := borrowTopology(t)
	p := lab.example(t, "checks")
	p.run("init")
	doesNotSay(t, p.run("apply", "-auto-approve"), "Check block assertion failed")
	t.Cleanup(func() { lab.command(t, "set", "naples", "connect=true") })
	broken := lab.connectionBreaks(t, "rome")
	lab.command(t, "set", "naples", "connect=false")
	<-broken
	says(t, p.run("plan"), "Check block assertion failed", "The shortcut from Rome to Naples is Error.")
}

// remove deletes files in the project's folder.
func (p *project) remove(pattern string) {
	p.t.Helper()
	names, err := filepath.Glob(filepath.Join(p.dir, pattern))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, name := range names {
		if err := os.Remove(name); err != nil {
			p.t.Fatal(err)
		}
	}
}

// setJSON sets an environment variable to a value that Terraform reads as an object.
func (p *project) setJSON(name string, value any) {
	p.t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		p.t.Fatal(err)
	}
	p.set(name, string(text))
}

// namespaceNamed returns an ordinary namespace.
func namespaceNamed(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// wireguardKeys returns a Secret in the format that Liqo's gateways read.
func wireguardKeys(t *testing.T, namespace, name string) *corev1.Secret {
	t.Helper()
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Data: map[string][]byte{
			consts.PrivateKeyField: private.Bytes(), consts.PublicKeyField: private.PublicKey().Bytes(),
		},
	}
}

// connectionBreaks returns a channel that is closed once a cluster's gateway reports that its tunnel is not up.
func (l *Lab) connectionBreaks(t *testing.T, name string) <-chan struct{} {
	t.Helper()
	changes, err := l.administrator(t, name).Watch(t.Context(), &networkingv1beta1.ConnectionList{})
	if err != nil {
		t.Fatal(err)
	}
	broken := make(chan struct{})
	go func() {
		defer close(broken)
		defer changes.Stop()
		for change := range changes.ResultChan() {
			if connection, ok := change.Object.(*networkingv1beta1.Connection); ok &&
				connection.Status.Value == networkingv1beta1.ConnectionError {
				return
			}
		}
	}()
	return broken
}
