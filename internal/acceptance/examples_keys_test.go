package acceptance

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestAccTheExamplesOfKeysAndTemplatesAreAppliedAfterTheirScripts(t *testing.T) {
	lab := borrowLab(t)
	for name, run := range map[string]func(*testing.T){
		"keys of one's own":          lab.ownKeysAreUsed,
		"keys exchanged by others":   lab.othersExchangeKeys,
		"a template of one's own":    lab.aTemplateIsUsed,
		"a rotation after some days": lab.timeRotatesKeys,
	} {
		t.Run(name, func(t *testing.T) {
			lab.keepsInventory(t)
			run(t)
		})
	}
}

func (l *Lab) ownKeysAreUsed(t *testing.T) {
	t.Helper()
	needs(t, "kubectl")
	for _, leaf := range []string{"rome", "milan"} {
		l.have(t, leaf, namespaceNamed("shortcuts"))
	}
	p := l.example(t, "own-keys")
	public := map[string]string{}
	for _, leaf := range []string{"rome", "milan"} {
		keys := wireguardKeys(t, "", "").Data
		private := base64.StdEncoding.EncodeToString(keys[consts.PrivateKeyField])
		public[leaf] = base64.StdEncoding.EncodeToString(keys[consts.PublicKeyField])
		p.withProgram("wg", fmt.Sprintf("#!/bin/sh\ncase $1 in\ngenkey) echo %[1]s ;;\n"+
			"pubkey) read -r key && [ $key = %[1]s ] && echo %[2]s ;;\nesac\n", private, public[leaf]))
		p.script("keys.sh", leaf)
	}
	p.apply()
	says(t, p.run("state", "show", romeMilan), `status = "Connected"`)
	for at, of := range map[string]string{"rome": "milan", "milan": "rome"} {
		if told := l.keyOf(t, of, at); told != public[of] {
			t.Errorf("%s has the key %s of %s, expected %s", at, told, of, public[of])
		}
	}
}

func (l *Lab) othersExchangeKeys(t *testing.T) {
	t.Helper()
	needs(t, "kubectl")
	shortcut := l.example(t, "keys-by-others/shortcut")
	shortcut.apply()
	says(t, shortcut.run("state", "show", romeMilan), `status = "Connecting"`)
	keys := l.example(t, "keys-by-others/keys") // destroyed before the shortcut
	keys.script("keys.sh")
	keys.apply()
	l.connects(t)
	shortcut.unchanged()
	says(t, shortcut.run("apply", "-refresh-only", "-auto-approve"), `status = "Connecting" -> "Connected"`)
}

func (l *Lab) aTemplateIsUsed(t *testing.T) {
	t.Helper()
	needs(t, "kubectl", "jq")
	milan := l.administrator(t, "milan")
	label := func(ctx context.Context, value string) error {
		patch := fmt.Sprintf(`{"metadata":{"labels":{"example.com/edge":%s}}}`, value)
		return milan.Patch(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "milan-node"}},
			client.RawPatch("application/merge-patch+json", []byte(patch)))
	}
	if err := label(t.Context(), `"true"`); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		template := &networkingv1beta1.WgGatewayServerTemplate{
			ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: "wireguard-server-edge"},
		}
		if err := errors.Join(label(ctx, "null"), milan.Delete(ctx, template)); err != nil {
			t.Error(err)
		}
	})
	p := l.example(t, "template")
	p.run("init")
	says(t, p.refused("plan"), "WgGatewayServerTemplate liqo/wireguard-server-edge")
	p.script("template.sh")
	p.apply()
	says(t, p.run("state", "show", romeMilan), `status = "Connected"`)
	var gateways corev1.PodList
	if err := milan.List(t.Context(), &gateways, client.InNamespace("liqo-tenant-rome")); err != nil {
		t.Fatal(err)
	}
	if len(gateways.Items) != 1 || gateways.Items[0].Spec.NodeSelector["example.com/edge"] != "true" {
		t.Errorf("the gateway is not on a node of one's choice: %v", gateways.Items)
	}
}

func (l *Lab) timeRotatesKeys(t *testing.T) {
	t.Helper()
	p := l.example(t, "rotation")
	p.installTimeProvider()
	p.apply()
	before := l.keyOf(t, "milan", "rome")
	says(t, p.run("apply", "-auto-approve", "-replace=time_rotating.keys"), "1 added, 1 changed, 1 destroyed")
	says(t, p.run("state", "show", romeMilan), `status = "Connected"`)
	if l.keyOf(t, "milan", "rome") == before {
		t.Error("the key is the same as before")
	}
	p.unchanged()
}

// keyOf returns the public key of a cluster's gateway that another cluster has been told, in base64.
func (l *Lab) keyOf(t *testing.T, of, at string) string {
	t.Helper()
	var told networkingv1beta1.PublicKeyList
	if err := l.client(t, at).List(t.Context(), &told); err != nil {
		t.Fatal(err)
	}
	if len(told.Items) != 1 {
		t.Fatalf("%s has %d keys, expected the one of %s", at, len(told.Items), of)
	}
	return base64.StdEncoding.EncodeToString(told.Items[0].Spec.PublicKey)
}

// needs skips a test of a script that runs a program which this machine does not have.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("The script of the example needs %s.", program)
		}
	}
}

// script runs a script of the example, which must succeed.
func (p *project) script(name string, args ...string) {
	p.t.Helper()
	command := exec.CommandContext(p.t.Context(), "./"+name, args...)
	command.Dir, command.Env = p.dir, p.env
	if output, err := command.CombinedOutput(); err != nil {
		p.t.Fatalf("%s %v: %v\n%s", name, args, err, output)
	}
}

// installTimeProvider lets `terraform init` find HashiCorp's time provider, too.
func (p *project) installTimeProvider() {
	p.t.Helper()
	mirrors := []string{filepath.Join(scratch, "mirror"), p.t.TempDir()}
	if output, err := exec.Command("../../.ci/time-provider", mirrors[1]).CombinedOutput(); err != nil {
		p.t.Fatalf(".ci/time-provider: %v\n%s", err, output)
	}
	for _, registry := range registries() {
		folder := filepath.Join(mirrors[1], registry, "hashicorp", "time", "0.0.1", runtime.GOOS+"_"+runtime.GOARCH)
		err := errors.Join(os.MkdirAll(folder, 0o755), os.Link(
			filepath.Join(mirrors[1], "terraform-provider-time"), filepath.Join(folder, "terraform-provider-time_v0.0.1"),
		))
		if err != nil {
			p.t.Fatal(err)
		}
	}
	p.write(p.commandLineConfig(), fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n"+
		"  filesystem_mirror {\n    path = %q\n  }\n}\n", mirrors[0], mirrors[1]))
}
