package topology

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccTheExampleOfKeysOfOnesOwn(t *testing.T) {
	l := acctest.Borrow(t, acctest.Topology)
	for _, leaf := range []string{"rome", "milan"} {
		l.Have(t, leaf, acctest.NamespaceNamed("shortcuts"))
	}
	p := l.Example(t, "own-keys")
	public := map[string]string{}
	for _, leaf := range []string{"rome", "milan"} {
		keys := acctest.WireguardKeys(t, "", "").Data
		private := base64.StdEncoding.EncodeToString(keys[consts.PrivateKeyField])
		public[leaf] = base64.StdEncoding.EncodeToString(keys[consts.PublicKeyField])
		p.WithProgram("wg", fmt.Sprintf("#!/bin/sh\ncase $1 in\ngenkey) echo %[1]s ;;\n"+
			"pubkey) read -r key && [ $key = %[1]s ] && echo %[2]s ;;\nesac\n", private, public[leaf]))
		script(p, "keys.sh", leaf)
	}
	p.Apply()
	p.IsConnected()
	for at, of := range map[string]string{"rome": "milan", "milan": "rome"} {
		if told := keyOf(t, l, of, at); told != public[of] {
			t.Errorf("%s has the key %s of %s, expected %s", at, told, of, public[of])
		}
	}
}

func TestAccTheExampleOfATemplateOfOnesOwn(t *testing.T) {
	l := acctest.Borrow(t, acctest.Topology)
	milan := l.Client(t, "milan")
	label := func(ctx context.Context, value string) error {
		patch := fmt.Sprintf(`{"metadata":{"labels":{"example.com/edge":%s}}}`, value)
		return milan.Patch(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "milan-node"}},
			client.RawPatch("application/merge-patch+json", []byte(patch)))
	}
	acctest.Must(t, label(t.Context(), `"true"`))
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		template := &networkingv1beta1.WgGatewayServerTemplate{
			ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: "wireguard-server-edge"},
		}
		if err := errors.Join(label(ctx, "null"), milan.Delete(ctx, template)); err != nil {
			t.Error(err)
		}
	})
	p := l.Example(t, "template")
	p.Run("init")
	acctest.Says(t, p.Refused("plan"), "WgGatewayServerTemplate liqo/wireguard-server-edge")
	script(p, "template.sh")
	p.Apply()
	p.IsConnected()
	var gateways corev1.PodList
	acctest.Must(t, milan.List(t.Context(), &gateways, client.InNamespace("liqo-tenant-rome")))
	if len(gateways.Items) != 1 || gateways.Items[0].Spec.NodeSelector["example.com/edge"] != "true" {
		t.Errorf("the gateway is not on a node of one's choice: %v", gateways.Items)
	}
}

func TestAccTheExampleOfARotationAfterSomeDays(t *testing.T) {
	l := acctest.Borrow(t, acctest.Topology)
	p := l.Example(t, "rotation")
	mirror, err := acctest.ProviderMirror()
	acctest.Must(t, err)
	for _, registry := range acctest.Registries() { // `terraform init` finds HashiCorp's time provider beside this one
		folder := filepath.Join(mirror, registry, "hashicorp", "time", "0.0.1", runtime.GOOS+"_"+runtime.GOARCH)
		acctest.Must(t, os.MkdirAll(folder, 0o755))
		if _, err := acctest.Output(acctest.Root+"/.ci/time-provider", folder); err != nil {
			t.Fatal(err)
		}
	}
	p.Apply()
	before := keyOf(t, l, "milan", "rome")
	acctest.Says(t, p.Run("apply", "-auto-approve", "-replace=time_rotating.keys"), "1 added, 1 changed, 1 destroyed")
	p.IsConnected()
	if keyOf(t, l, "milan", "rome") == before {
		t.Error("the key is the same as before")
	}
	p.Unchanged()
}

// keyOf returns the public key of a cluster's gateway that another cluster has been told, in base64.
func keyOf(t *testing.T, l *acctest.Lab, of, at string) string {
	t.Helper()
	var told networkingv1beta1.PublicKeyList
	acctest.Must(t, l.Client(t, at).List(t.Context(), &told))
	if len(told.Items) != 1 {
		t.Fatalf("%s has %d keys, expected the one of %s", at, len(told.Items), of)
	}
	return base64.StdEncoding.EncodeToString(told.Items[0].Spec.PublicKey)
}

// script runs a script of an example, which must succeed. It has kubectl and jq, whether this machine has them or not.
func script(p *acctest.Project, name string, args ...string) {
	p.T.Helper()
	p.WithPrograms(acctest.ExamplePrograms(p.T))
	p.Shell(strings.Join(append([]string{"./" + name}, args...), " "))
}
