package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestAccTheExampleOfARoleIsEnoughForTheWholeLifeOfAShortcut(t *testing.T) {
	borrowLab(t).aRoleIsEnough(t)
}

// aRoleIsEnough takes shortcuts through their lives with the examples of roles, within the example of a policy.
func (l *Lab) aRoleIsEnough(t *testing.T) {
	t.Helper()
	leaves := l.reachedWithRole(t, "shortcuts", "key-rotation")
	for _, leaf := range []string{"rome", "milan"} {
		l.limit(t, leaf)
		l.have(t, leaf, namespaceNamed("liqo-shortcuts"))
	}
	p := l.example(t, "credentials/token")
	p.setJSON("TF_VAR_leaves", leaves)
	const shortcut = `
		resource "liqo_shortcut" "rome_milan" {
		  client         = "rome"
		  server         = "milan"
		  server_gateway = { service_type = "NodePort" }
		  %s
		  %s
		}`
	for _, namespaces := range []string{"", `
		  client_namespace = "liqo-shortcuts"
		  server_namespace = "liqo-shortcuts"`} {
		// The second shortcut takes over the namespaces that the first one leaves.
		for _, changed := range []string{`on_destroy = "disconnect"`, `
			  mtu            = 1400
			  cidr_remapping = "forbid"
			  key_rotation   = "2"`} {
			p.write("shortcut.tf", fmt.Sprintf(shortcut, namespaces, ""))
			p.apply()
			says(t, p.run("state", "show", romeMilan), `status = "Connected"`)
			p.write("shortcut.tf", fmt.Sprintf(shortcut, namespaces, changed))
			says(t, p.run("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed")
			says(t, p.run("state", "show", romeMilan), `status = "Connected"`)
			says(t, p.run("destroy", "-auto-approve"), "1 destroyed")
		}
	}
}

func TestAccTheExampleOfARoleIsEnoughToAdoptANetworkMadeByLiqoctl(t *testing.T) {
	lab := borrowLab(t)
	leaves := lab.reachedWithRole(t, "shortcuts")
	p := lab.example(t, "credentials/token")
	p.setJSON("TF_VAR_leaves", leaves)
	lab.joinByHand(t, "rome", "milan")()
	p.write("shortcut.tf", `
		resource "liqo_shortcut" "rome_milan" {
		  client         = "rome"
		  server         = "milan"
		  adopt_existing = true
		  server_gateway = { service_type = "NodePort" }
		}`)
	p.apply()
}

func TestAccTheExampleOfARoleIsEnoughToExplainAFailure(t *testing.T) {
	lab := borrowLab(t)
	leaves := lab.reachedWithRole(t, "shortcuts")
	p := lab.example(t, "credentials/token")
	p.setJSON("TF_VAR_leaves", leaves)
	p.write("shortcut.tf", `
		resource "liqo_shortcut" "rome_milan" {
		  client   = "rome"
		  server   = "milan"
		  timeouts = { create = "`+ample+`" }
		}`)
	p.run("init")
	t.Cleanup(func() { lab.command(t, "set", "milan", "pull-image=true") })
	lab.command(t, "set", "milan", "pull-image=false")
	output := p.refused("apply", "-auto-approve")
	says(t, output, `The gateway's image can't be pulled on leaf "milan"`, "ErrImagePull")
	doesNotSay(t, output, "could be read")
}

func TestAccTheExampleOfAReadOnlyRoleIsEnoughForAPlan(t *testing.T) {
	lab := borrowLab(t)
	administrators, readers := lab.reachedAsAdministrator(t, "rome", "milan"), lab.reachedWithRole(t, "plans")
	p := lab.example(t, "credentials/token")
	p.write("shortcut.tf", shortcutRomeMilan+`
		data "liqo_cluster" "rome" { name = "rome" }
		data "liqo_shortcuts" "all" {}
		data "liqo_topology" "all" {}
		data "liqo_shortcut" "rome_milan" {
		  client = "rome"
		  server = "milan"
		}`)
	p.run("init")

	p.setJSON("TF_VAR_leaves", readers)
	says(t, p.run("plan"), "1 to add")
	says(t, p.refused("apply", "-auto-approve"), "No permission to")

	p.setJSON("TF_VAR_leaves", administrators)
	p.apply()
	p.setJSON("TF_VAR_leaves", readers)
	p.run("plan", "-detailed-exitcode")
	p.setJSON("TF_VAR_leaves", administrators) // to destroy it
}

// leaf is the access to one leaf, as in examples/credentials/token.
type leaf struct {
	Host                 string `json:"host"`
	ClusterCACertificate string `json:"cluster_ca_certificate"`
	Token                string `json:"token"`
}

// entry returns the value of an entry in the provider block.
func (l leaf) entry() string {
	return fmt.Sprintf("{ host = %q, token = %q, cluster_ca_certificate = %q }", l.Host, l.Token, l.ClusterCACertificate)
}

// config returns the configuration of a client.
func (l leaf) config() *rest.Config {
	return &rest.Config{
		Host: l.Host, BearerToken: l.Token, TLSClientConfig: rest.TLSClientConfig{CAData: []byte(l.ClusterCACertificate)},
	}
}

// kubeconfig returns a file in which the context with this name has the access.
func (l leaf) kubeconfig(t *testing.T, name string) string {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: l.Host, CertificateAuthorityData: []byte(l.ClusterCACertificate)}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: l.Token}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		t.Fatal(err)
	}
	return file
}

// reachedAsAdministrator returns the access to leaves with all permissions.
func (l *Lab) reachedAsAdministrator(t *testing.T, names ...string) map[string]leaf {
	t.Helper()
	leaves := map[string]leaf{}
	for _, name := range names {
		found := l.credentials(t, name)
		leaves[name] = leaf{found.server, found.ca, found.token}
	}
	return leaves
}

// reachedWithRole returns the access to Rome and Milan with only the permissions in some of the repository's YAML
// files.
func (l *Lab) reachedWithRole(t *testing.T, files ...string) map[string]leaf {
	t.Helper()
	leaves := map[string]leaf{}
	for _, name := range []string{"rome", "milan"} {
		leaves[name] = l.reachedAs(t, name, "terraform", rolesIn(t, files...))
	}
	return leaves
}

// rolesIn returns the roles in some of the repository's YAML files.
func rolesIn(t *testing.T, files ...string) []client.Object {
	t.Helper()
	var roles []client.Object
	for _, file := range files {
		roles = append(roles, objectsIn(t, fmt.Sprintf("../../examples/rbac/%s.yaml", file))...)
	}
	return roles
}

// reachedAs returns the access to a leaf of a new ServiceAccount with these roles. All of it is removed at the end of
// the test.
func (l *Lab) reachedAs(t *testing.T, name, account string, roles []client.Object) leaf {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", l.cluster(t, name).Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	if err := rest.LoadTLSFiles(config); err != nil {
		t.Fatal(err)
	}
	user := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: account}}
	l.have(t, name, user)
	for _, role := range roles {
		l.bind(t, name, role, user)
	}
	request := &authenticationv1.TokenRequest{}
	if err := l.administrator(t, name).SubResource("token").Create(t.Context(), user, request); err != nil {
		t.Fatal(err)
	}
	return leaf{config.Host, string(config.CAData), request.Status.Token}
}

// bind creates a copy of a Role or ClusterRole for an account, and gives it to this account.
func (l *Lab) bind(t *testing.T, name string, role client.Object, to *corev1.ServiceAccount) {
	t.Helper()
	meta := metav1.ObjectMeta{Namespace: role.GetNamespace(), Name: to.Name + "-" + role.GetName()}
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: to.Namespace, Name: to.Name}}
	role = role.DeepCopyObject().(client.Object) //nolint:errcheck,forcetypeassert // a copy has its original's type
	role.SetName(meta.Name)
	l.have(t, name, role)
	if meta.Namespace == "" {
		l.have(t, name, &rbacv1.ClusterRoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: rbacv1.RoleRef{
			APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name,
		}})
		return
	}
	l.have(t, name, &rbacv1.RoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: rbacv1.RoleRef{
		APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name,
	}})
}

// objectsIn returns the objects of a YAML file.
func objectsIn(t *testing.T, name string) []client.Object {
	t.Helper()
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var objects []client.Object
	for text := range strings.SplitSeq(string(file), "\n---\n") {
		object, _, err := clientgoscheme.Codecs.UniversalDeserializer().Decode([]byte(text), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object.(client.Object)) //nolint:errcheck,forcetypeassert // all kinds are objects
	}
	return objects
}
