package rights

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// The example of a policy limits the user, too.
func TestAccTheExampleOfARoleIsEnoughForTheWholeLifeOfAShortcut(t *testing.T) {
	onEachKubernetes(t, func(t *testing.T, l *acctest.Lab) {
		t.Helper()
		for _, leaf := range []string{"rome", "milan"} {
			l.Limit(t, leaf)
			l.Have(t, leaf, acctest.NamespaceNamed("liqo-shortcuts"))
		}
		p := limitedExample(t, l, "shortcuts", "key-rotation", "allowed-traffic")
		const allowing = `allow = [{ to = "server", protocol = "TCP", port = 5432 }]`
		p.Run("init")
		for _, namespaces := range []string{"", `
			  client_namespace = "liqo-shortcuts"
			  server_namespace = "liqo-shortcuts"
			`} {
			for _, settings := range []string{"", `
				  mtu            = 1400
				  cidr_remapping = "forbid"
				  key_rotation_trigger   = "2"`, allowing, `
				  on_destroy = "disconnect"`} {
				p.Write("shortcut.tf", acctest.Joining("rome_milan", "rome", "milan", namespaces+settings))
				p.Run("apply", "-auto-approve")
				p.IsConnected()
			}
			p.Unchanged()
			p.Run("destroy", "-auto-approve")
			// Another one takes over what the first one has left.
			p.Write("shortcut.tf", acctest.Joining("rome_milan", "rome", "milan", namespaces+allowing))
			p.Again()
			p.Run("destroy", "-auto-approve")
		}
	})
}

func TestAccTheExampleOfARoleIsEnoughToImportANetworkMadeByLiqoctlAndChangeIt(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := limitedExample(t, lab, "shortcuts")
	lab.JoinByHand(t, "rome", "milan")
	p.Write("shortcut.tf", acctest.Joining("rome_milan", "rome", "milan", "mtu = 1400")+acctest.ImportRomeMilan)
	p.Apply()
}

func TestAccTheExampleOfARoleIsEnoughToExplainAFailure(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := limitedExample(t, lab, "shortcuts")
	p.Write("shortcut.tf", acctest.FromTo("rome_milan", "rome", "milan",
		`timeouts = { create = "`+acctest.Ample+`" }`))
	p.Run("init")
	lab.Set(t, "milan", "pull-image=false")
	output := p.Refused("apply", "-auto-approve")
	acctest.Says(t, output, `The gateway's image can't be pulled on leaf "milan"`, "ErrImagePull")
	acctest.DoesNotSay(t, output, "could be read")
}

func TestAccTheExampleOfAReadOnlyRoleIsEnoughForAPlan(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	administrators := lab.ReachedAsAdministrator(t, "rome", "milan")
	readers := reachedWith(t, lab, "terraform", acctest.RolesIn(t, "plans"))
	p := lab.Example(t, "credentials/token")
	p.Write("shortcut.tf", acctest.ShortcutRomeMilan+`
		data "liqo_cluster" "rome" { name = "rome" }
		data "liqo_shortcuts" "all" {}
		data "liqo_topology" "all" {}`+acctest.DataRomeMilan)
	p.Run("init")

	p.SetJSON("TF_VAR_leaves", readers)
	acctest.Says(t, p.Run("plan"), "1 to add")
	acctest.Says(t, p.Refused("apply", "-auto-approve"), "No permission to")

	p.SetJSON("TF_VAR_leaves", administrators)
	p.Apply()
	p.SetJSON("TF_VAR_leaves", readers)
	p.Run("plan", "-detailed-exitcode")
	p.SetJSON("TF_VAR_leaves", administrators) // to destroy it
}

// limitedExample returns an example whose user has only these of the examples of roles.
func limitedExample(t *testing.T, l *acctest.Lab, roles ...string) *acctest.Project {
	t.Helper()
	leaves := reachedWith(t, l, "terraform", acctest.RolesIn(t, roles...))
	p := l.Example(t, "credentials/token")
	p.SetJSON("TF_VAR_leaves", leaves)
	return p
}

func TestMain(m *testing.M) { acctest.Main(m) }

// onEachKubernetes runs a test on a lab with Rome and Milan, and, unless it is a short one, on another lab whose API
// servers are the oldest and the newest that a release of Liqo supports.
func onEachKubernetes(t *testing.T, test func(*testing.T, *acctest.Lab)) {
	t.Helper()
	labs := map[string][]string{"Kubernetes of the lab": acctest.Pair}
	if !testing.Short() {
		labs["oldest and newest Kubernetes"] = []string{
			"--cluster=rome=10.202.0.0/16,kubernetes=" + acctest.OldestKubernetes,
			"--cluster=milan=10.203.0.0/16,kubernetes=" + acctest.NewestKubernetes,
		}
	}
	for name, options := range labs {
		t.Run(name, func(t *testing.T) { test(t, acctest.Borrow(t, options)) })
	}
}

// reachedWith returns the access of an account with these roles to Rome and Milan.
func reachedWith(t *testing.T, l *acctest.Lab, account string, roles []client.Object) map[string]acctest.Leaf {
	t.Helper()
	leaves := map[string]acctest.Leaf{}
	for _, name := range []string{"rome", "milan"} {
		leaves[name] = l.ReachedAs(t, name, account, roles)
	}
	return leaves
}
