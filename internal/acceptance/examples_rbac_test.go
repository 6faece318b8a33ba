package acceptance

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/liqotech/liqo/pkg/consts"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

func TestAccTheExampleOfARoleIsEnoughForTheWholeLifeOfAShortcut(t *testing.T) {
	lab := borrowLab(t)
	leaves := lab.reachedWithRole(t, "shortcuts")
	p := lab.example(t, "credentials/token")
	p.setJSON("TF_VAR_leaves", leaves)
	p.write("shortcut.tf", shortcutRomeMilan)
	p.apply()
	says(t, p.run("state", "show", romeMilan), `status = "Connected"`)
	p.write("shortcut.tf", `
		resource "liqo_shortcut" "rome_milan" {
		  client         = "rome"
		  server         = "milan"
		  mtu            = 1400
		  cidr_remapping = "forbid"
		}`)
	p.apply()
	says(t, p.run("state", "show", romeMilan), `status = "Connected"`)
	p.run("apply", "-destroy", "-auto-approve")
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

func TestAccTheExampleOfAPolicyProtectsOtherNamespaces(t *testing.T) {
	lab := borrowLab(t)
	for _, name := range []string{"rome", "milan"} {
		for _, object := range objectsIn(t, "../../examples/rbac/namespaces.yaml") {
			lab.have(t, name, object)
		}
	}
	other := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "liqo-tenant-of-nobody"}}
	lab.have(t, "milan", other)
	leaves := lab.reachedWithRole(t, "shortcuts")
	p := lab.example(t, "credentials/token")
	p.setJSON("TF_VAR_leaves", leaves)
	// The second shortcut takes over the namespaces that the first one leaves.
	for _, settings := range []string{`on_destroy = "disconnect"`, ""} {
		p.write("shortcut.tf", fmt.Sprintf(`
			resource "liqo_shortcut" "rome_milan" {
			  client         = "rome"
			  server         = "milan"
			  server_gateway = { service_type = "NodePort" }
			  %s
			}`, settings))
		p.apply()
		says(t, p.run("destroy", "-auto-approve"), "1 destroyed")
	}

	terraform, err := client.New(leaves["milan"].config(), client.Options{Scheme: cluster.NewScheme()})
	if err != nil {
		t.Fatal(err)
	}
	labelled := other.DeepCopy()
	labelled.Labels = map[string]string{consts.TenantNamespaceLabel: "true", consts.RemoteClusterID: "rome"}
	for what, err := range map[string]error{
		"delete": terraform.Delete(t.Context(), other.DeepCopy()),
		"change": terraform.Patch(t.Context(), labelled, client.MergeFrom(other)),
		"create": terraform.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "another"}}),
	} {
		const message = "Terraform may create, change and delete only tenant namespaces of Liqo"
		if err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("an attempt to %s another namespace has the result: %v", what, err)
		}
	}
}

// leaf is the access to one leaf, as in examples/credentials/token.
type leaf struct {
	Host                 string `json:"host"`
	ClusterCACertificate string `json:"cluster_ca_certificate"`
	Token                string `json:"token"`
}

// config returns the configuration of a client.
func (l leaf) config() *rest.Config {
	return &rest.Config{
		Host: l.Host, BearerToken: l.Token, TLSClientConfig: rest.TLSClientConfig{CAData: []byte(l.ClusterCACertificate)},
	}
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

// reachedWithRole returns the access to Rome and Milan with only the permissions in one of the
// repository's YAML files.
func (l *Lab) reachedWithRole(t *testing.T, file string) map[string]leaf {
	t.Helper()
	leaves := map[string]leaf{}
	for _, name := range []string{"rome", "milan"} {
		leaves[name] = l.reachedAs(t, name, "terraform", objectsIn(t, fmt.Sprintf("../../examples/rbac/%s.yaml", file)))
	}
	return leaves
}

// reachedAs returns the access to a leaf of a new ServiceAccount with these roles. All of it is removed at the end
// of the test.
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

// bind creates a copy of a Role or ClusterRole, named after an account, and gives it to this account.
func (l *Lab) bind(t *testing.T, name string, role client.Object, to *corev1.ServiceAccount) {
	t.Helper()
	meta := metav1.ObjectMeta{Namespace: role.GetNamespace(), Name: to.Name}
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: to.Namespace, Name: to.Name}}
	role = role.DeepCopyObject().(client.Object) //nolint:errcheck,forcetypeassert // a copy has its original's type
	role.SetName(to.Name)
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
