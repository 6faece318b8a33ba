package acceptance

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// theLeavesAreReachedThroughTheCentre takes a shortcut through its life with nothing but Europe's kubeconfig.
func (l *Lab) theLeavesAreReachedThroughTheCentre(t *testing.T) {
	l.keepsInventory(t)
	kubeconfig := l.cluster(t, "europe").Kubeconfig
	powerless := l.newProject(t, "../../examples/through")
	powerless.set("KUBE_CONFIG_PATH", kubeconfig)
	powerless.run("init")
	says(t, powerless.refused("plan"), "No permission to", `This leaf is reached through "europe"`,
		`Give user "europe"`, "guides/least-privilege-rbac#through-the-central-cluster")

	for _, leaf := range []string{"rome", "milan"} {
		l.limit(t, leaf, "europe")
		for _, object := range rolesIn(t, "shortcuts", "central-cluster") {
			l.have(t, leaf, object)
		}
	}
	p := l.example(t, "through")
	europe := l.reachedAs(t, "europe", "terraform", rolesIn(t, "plans", "through"))
	p.set("KUBE_CONFIG_PATH", europe.kubeconfig(t, "europe"))
	p.apply()
	says(t, p.run("state", "show", romeMilan), `status = "Connected"`)
	l.doesNotWriteIdentity(t, "rome", p)

	p.replaceIn("main.tf", `rome   = { through = "europe" }`, `rome = { through = "europe", cluster_id = "roma" }`)
	says(t, p.run("plan"), `Warning: "europe" has no credentials for it on leaf "rome"`,
		`no Identity for a cluster with the ID "roma"; it has them for "milan", "rome"`, "Set `cluster_id`")
	p.replaceIn("main.tf", `cluster_id = "roma" }`, `cluster_id = "rome" }`)
	p.replaceIn("main.tf", `server = "milan"`, `server = "milan"
		mtu = 1400`)
	says(t, p.run("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed")
	p.run("plan", "-detailed-exitcode")
	p.run("destroy", "-auto-approve")
}

// replaceIn replaces a text in a file of the project.
func (p *project) replaceIn(file, former, latter string) {
	p.t.Helper()
	content, err := os.ReadFile(filepath.Join(p.dir, file))
	if err != nil {
		p.t.Fatal(err)
	}
	replaced := strings.ReplaceAll(string(content), former, latter)
	if replaced == string(content) {
		p.t.Fatalf("%q is not in %s", former, file)
	}
	p.write(file, replaced)
}

// doesNotWriteIdentity fails the test if a project contains the key that the centre has for a leaf.
func (l *Lab) doesNotWriteIdentity(t *testing.T, leaf string, p *project) {
	t.Helper()
	var secret corev1.Secret
	name := client.ObjectKey{Namespace: "liqo-tenant-" + leaf, Name: "kubeconfig-controlplane-" + leaf}
	if err := l.client(t, "europe").Get(t.Context(), name, &secret); err != nil {
		t.Fatal(err)
	}
	kubeconfig, err := clientcmd.Load(secret.Data["kubeconfig"])
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range kubeconfig.AuthInfos {
		key := string(user.ClientKeyData)
		for _, file := range filesIn(t, p.dir) {
			if bytes.Contains(file.content, middle(key)) ||
				bytes.Contains(file.content, middle(base64.StdEncoding.EncodeToString([]byte(key)))) {
				t.Errorf("the key of the Identity is in %s", file.name)
			}
		}
	}
}
