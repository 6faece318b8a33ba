package topology

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

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
	for at, of := range acctest.Other {
		if told := keyToldTo(t, l, at); told != public[of] {
			t.Errorf("%s has the key %s of %s, expected %s", at, told, of, public[of])
		}
	}
}

func TestAccTheExampleOfATemplateOfOnesOwn(t *testing.T) {
	l := acctest.Borrow(t, acctest.Topology)
	label := func(value string) {
		l.Patch(t, "milan", acctest.Named(&corev1.Node{}, "", "milan-node"),
			fmt.Sprintf(`{"metadata":{"labels":{"example.com/edge":%s}}}`, value))
	}
	label(`"true"`)
	acctest.Finally(t, func() error {
		label("null")
		template := acctest.Template("Server", "liqo", "wireguard-server-edge")
		return l.Client(t, "milan").Delete(context.WithoutCancel(t.Context()), template)
	})
	p := l.Example(t, "template")
	p.Run("init")
	acctest.Says(t, p.Refused("plan"), "WgGatewayServerTemplate liqo/wireguard-server-edge")
	script(p, "template.sh")
	p.Apply()
	p.IsConnected()
	if spec := l.GatewayPod(t, "milan").Spec; spec.NodeSelector["example.com/edge"] != "true" {
		t.Errorf("the gateway is not on a node of one's choice: %v", spec)
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
		_, err := acctest.Output(acctest.Root+"/.ci/time-provider", folder)
		acctest.Must(t, err)
	}
	p.Apply()
	before := keyToldTo(t, l, "rome")
	acctest.Says(t, p.Run("apply", "-auto-approve", "-replace=time_rotating.keys"), "1 added, 1 changed, 1 destroyed")
	p.IsConnected()
	if keyToldTo(t, l, "rome") == before {
		t.Error("the key is the same as before")
	}
	p.Unchanged()
}

// keyToldTo returns the only public key that a cluster has been told, in base64.
func keyToldTo(t *testing.T, l *acctest.Lab, at string) string {
	t.Helper()
	told := acctest.Only[*networkingv1beta1.PublicKey](t, l, at, &networkingv1beta1.PublicKeyList{})
	return base64.StdEncoding.EncodeToString(told.Spec.PublicKey)
}

// script runs a script of an example, which must succeed. It has kubectl and jq, whether this machine has them or not.
func script(p *acctest.Project, name string, args ...string) {
	p.T.Helper()
	p.WithPrograms(acctest.ExamplePrograms(p.T))
	p.Shell(strings.Join(append([]string{"./" + name}, args...), " "))
}

// Its lab is another one, so it comes last.
func TestAccTheExampleOfAStandbyAtEachEnd(t *testing.T) {
	lab := acctest.Borrow(t, []string{"--cluster=rome=10.202.0.0/16,nodes=2", "--cluster=milan=10.203.0.0/16,nodes=2"})
	p := lab.Example(t, "high-availability")
	p.Apply()
	acctest.Says(t, p.Run("state", "show", "-no-color", acctest.RomeMilan), `lease_duration = "4s"`, `replicas = 2`)
	for leaf, remote := range acctest.Other {
		deployment := acctest.Get[appsv1.Deployment](t, lab, leaf, "liqo-tenant-"+remote, "gw-"+remote)
		if spec := deployment.Spec; *spec.Replicas != 2 || spec.Strategy.Type != appsv1.RollingUpdateDeploymentStrategyType ||
			len(spec.Template.Spec.Tolerations) < 2 || spec.Template.Spec.TopologySpreadConstraints == nil {
			t.Errorf("on %s, the Deployment of the gateway is %+v", leaf, spec)
		}
	}
}
