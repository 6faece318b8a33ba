package acceptance

import (
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
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

// leaf is the access to one leaf, as in examples/credentials/token.
type leaf struct {
	Host                 string `json:"host"`
	ClusterCACertificate string `json:"cluster_ca_certificate"`
	Token                string `json:"token"`
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
		config, err := clientcmd.BuildConfigFromFlags("", l.cluster(t, name).Kubeconfig)
		if err != nil {
			t.Fatal(err)
		}
		if err := rest.LoadTLSFiles(config); err != nil {
			t.Fatal(err)
		}
		leaves[name] = leaf{config.Host, string(config.CAData), l.roleToken(t, name, file)}
	}
	return leaves
}

// roleToken returns the token of a ServiceAccount with the roles of a YAML file. All of it is
// removed at the end of the test.
func (l *Lab) roleToken(t *testing.T, name, file string) string {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "terraform"}}
	l.have(t, name, account)
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: account.Namespace, Name: account.Name}}
	for _, object := range rolesIn(t, fmt.Sprintf("../../examples/rbac/%s.yaml", file)) {
		l.have(t, name, object)
		meta := metav1.ObjectMeta{Namespace: object.GetNamespace(), Name: object.GetName()}
		if meta.Namespace == "" {
			l.have(t, name, &rbacv1.ClusterRoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: rbacv1.RoleRef{
				APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name,
			}})
			continue
		}
		l.have(t, name, &rbacv1.RoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: rbacv1.RoleRef{
			APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name,
		}})
	}
	request := &authenticationv1.TokenRequest{}
	if err := l.administrator(t, name).SubResource("token").Create(t.Context(), account, request); err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

// rolesIn returns the Roles and ClusterRoles of a YAML file.
func rolesIn(t *testing.T, name string) []client.Object {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var roles []client.Object
	for decoder := yaml.NewYAMLOrJSONDecoder(file, 4096); ; {
		role := rbacv1.ClusterRole{} // a Role has the same fields
		err := decoder.Decode(&role)
		switch {
		case errors.Is(err, io.EOF):
			return roles
		case err != nil:
			t.Fatal(err)
		case role.Kind == "Role":
			roles = append(roles, &rbacv1.Role{ObjectMeta: role.ObjectMeta, Rules: role.Rules})
		default:
			roles = append(roles, &role)
		}
	}
}
