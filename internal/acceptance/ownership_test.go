package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The page that says what Terraform does to a shortcut.
const lives = "templates/guides/lifecycle.md.tmpl"

// stateIn returns a project with this name, with its own configuration and its own Terraform state.
func (l *Lab) stateIn(t *testing.T, folder, config string) *project {
	t.Helper()
	p := l.newProject(t, t.TempDir())
	renamed := filepath.Join(filepath.Dir(p.dir), folder)
	if err := os.Rename(p.dir, renamed); err != nil {
		t.Fatal(err)
	}
	p.dir = renamed
	p.configure(config)
	p.run("init")
	return p
}

// configure replaces the project's configuration.
func (p *project) configure(config string) {
	p.t.Helper()
	p.write("main.tf", "terraform {\n  required_providers {\n    liqo = { source = \"leafmesh/liqo\" "+
		"}\n  }\n}\n"+config)
}

// resources returns the addresses in the project's state.
func (p *project) resources() string {
	p.t.Helper()
	return strings.TrimSpace(p.run("state", "list"))
}

// unchanged fails the test unless the project's plan is empty.
func (p *project) unchanged() {
	p.t.Helper()
	p.run("plan", "-detailed-exitcode")
}

// joining returns a shortcut over a NodePort with this address and more attributes.
func joining(name, client, server, more string) string {
	return fmt.Sprintf(`
		resource "liqo_shortcut" %q {
		  client         = %q
		  server         = %q
		  server_gateway = { service_type = "NodePort" }
		  %s
		}`, name, client, server, more)
}

// gatewayServer returns the UID of Milan's gateway for Rome.
func (l *Lab) gatewayServer(t *testing.T) types.UID {
	t.Helper()
	var servers networkingv1beta1.GatewayServerList
	if err := l.client(t, "milan").List(t.Context(), &servers); err != nil || len(servers.Items) != 1 {
		t.Fatalf("got %d GatewayServers on Milan (%v)", len(servers.Items), err)
	}
	return servers.Items[0].UID
}

func TestAccAShortcutIsReplacedOnDemand(t *testing.T) {
	lab := borrowLab(t)
	p := lab.stateIn(t, "one", joining("s", "rome", "milan", "")+`
		resource "terraform_data" "trigger" { input = 1 }`)
	destroyAtLast(p)
	p.apply()
	p.run("apply", "-auto-approve", "-replace=liqo_shortcut.s")
	p.unchanged()

	triggered := joining("s", "rome", "milan", `
		lifecycle { replace_triggered_by = [terraform_data.trigger] }`)
	p.configure(triggered + `
		resource "terraform_data" "trigger" { input = 2 }`)
	says(t, p.run("apply", "-auto-approve"), "1 added, 1 changed, 1 destroyed")
	p.unchanged()
}

func TestAccAShortcutOfAnotherStateIsNeitherTakenOverNorRemoved(t *testing.T) {
	lab := borrowLab(t)
	for name, config := range map[string]string{
		"in the same direction":     joining("s", "rome", "milan", ""),
		"in the opposite direction": joining("s", "milan", "rome", ""),
	} {
		t.Run(name, func(t *testing.T) {
			lab.keepsInventory(t)
			first, second := lab.stateIn(t, "first", joining("s", "rome", "milan", "")), lab.stateIn(t, "second", config)
			destroyAtLast(first, second)
			first.apply()
			networks := lab.networks(t)
			for range 2 { // the second try has the same result
				says(t, second.refused("apply", "-auto-approve"), "A shortcut with", "exists already on leaf",
					"Another liqo_shortcut owns it, made by",
					"in folder first, workspace default")
				if left := second.resources(); left != "" {
					t.Errorf("the refused create is in the state: %s", left)
				}
			}
			second.run("destroy", "-auto-approve")
			lab.sameNetworks(t, networks)
			first.unchanged()
		})
	}
}

func TestAccTwoProviderBlocksHaveOneOwner(t *testing.T) {
	lab := borrowLab(t)
	const blocks = `
		provider "liqo" {}
		provider "liqo" { alias = "other" }`
	p := lab.stateIn(t, "aliases", blocks+joining("one", "rome", "milan", ""))
	destroyAtLast(p)
	p.apply()
	networks := lab.networks(t)
	p.configure(blocks + joining("one", "rome", "milan", "") + joining("two", "rome", "milan", "provider = liqo.other"))
	says(t, p.refused("apply", "-auto-approve"), "exists already on leaf", "Another liqo_shortcut owns it")
	if left := p.resources(); left != "liqo_shortcut.one" {
		t.Errorf("the state has %s", left)
	}
	lab.sameNetworks(t, networks)
}

func TestAccAnotherStateTakesAShortcutOverIfItAdopts(t *testing.T) {
	lab := borrowLab(t)
	first, second := lab.stateIn(t, "first", joining("s", "rome", "milan", "")), lab.stateIn(
		t, "second", joining("s", "rome", "milan", "adopt_existing = true"),
	)
	destroyAtLast(first, second)
	first.apply()
	gateway := lab.gatewayServer(t)
	second.apply()
	if now := lab.gatewayServer(t); now != gateway {
		t.Error("the gateway was replaced")
	}
	networks := lab.networks(t)
	says(t, first.run("plan"), "The shortcut has another owner now", "1 to add", "A shortcut with", "exists already")
	first.run("destroy", "-auto-approve")
	lab.sameNetworks(t, networks)
	second.unchanged()
}

func TestAccAShortcutWithANewAddressExistsAfterTheApply(t *testing.T) {
	lab := borrowLab(t)
	for _, parallelism := range []string{"10", "2"} {
		t.Run("parallelism "+parallelism, func(t *testing.T) {
			lab.keepsInventory(t)
			p := lab.stateIn(t, "renamed", joining("before", "rome", "milan", ""))
			destroyAtLast(p)
			p.apply()
			p.configure(joining("after", "rome", "milan", ""))
			says(t, p.run("apply", "-auto-approve", "-parallelism="+parallelism), "1 added, 0 changed, 1 destroyed")
			p.unchanged()
			lab.gatewayServer(t)
		})
	}
}

func TestAccAShortcutThatMovesKeepsItsNetwork(t *testing.T) {
	lab := borrowLab(t)
	p := lab.stateIn(t, "moved", joining("before", "rome", "milan", ""))
	destroyAtLast(p)
	p.apply()
	networks := lab.networks(t)
	p.configure(
		joining("after", "rome", "milan", "") + "\nmoved {\n  from = liqo_shortcut.before\n  to = " +
			"liqo_shortcut.after\n}",
	)
	says(t, p.run("apply", "-auto-approve"), "0 added, 0 changed, 0 destroyed")
	lab.sameNetworks(t, networks)
}

func TestAccAShortcutThatIsCreatedBeforeItIsDestroyedStays(t *testing.T) {
	lab := borrowLab(t)
	const first = "lifecycle { create_before_destroy = true }"
	p := lab.stateIn(t, "cbd", joining("s", "rome", "milan", first))
	destroyAtLast(p)
	p.apply()
	networks := lab.networks(t)
	says(
		t, p.refused("apply", "-auto-approve", "-replace=liqo_shortcut.s"), "exists already on leaf",
		"`create_before_destroy`",
	)
	lab.sameNetworks(t, networks)
	p.unchanged()

	gateway := lab.gatewayServer(t)
	p.configure(joining("s", "rome", "milan", "adopt_existing = true\n"+first))
	says(t, p.run("apply", "-auto-approve", "-replace=liqo_shortcut.s"), "1 added, 0 changed, 1 destroyed")
	p.unchanged()
	if now := lab.gatewayServer(t); now != gateway {
		t.Error("the gateway was replaced")
	}
}

func TestAccACreateThatTimesOutSaysHowToContinueAndContinues(t *testing.T) {
	lab := borrowLab(t)
	lab.command(t, "set", "milan", "load-balancer=false")
	t.Cleanup(func() { lab.command(t, "set", "milan", "load-balancer=true") })
	config := func(timeout string) string {
		return fmt.Sprintf(`
			resource "liqo_shortcut" "rome_milan" {
			  client   = "rome"
			  server   = "milan"
			  timeouts = { create = %q, update = "5m" }
			}`, timeout)
	}
	p := lab.stateIn(t, "slow", config(ample))
	destroyAtLast(p)
	says(
		t, p.refused("apply", "-auto-approve"), "The load balancer gives no address", "The resource is tainted",
		"`terraform untaint`",
	)
	gateway := lab.gatewayServer(t)
	lab.command(t, "set", "milan", "load-balancer=true")
	p.shell(blockOf(t, sectionOf(t, lives, "After a create that failed"), "shell"))
	p.unchanged()
	if now := lab.gatewayServer(t); now != gateway {
		t.Error("the gateway was replaced")
	}
}

func TestAccAnAdoptionThatFailsGivesTheNetworkBack(t *testing.T) {
	lab := borrowLab(t)
	p := lab.stateIn(t, "adopting", joining("s", "rome", "milan", `
		adopt_existing = true
		mtu            = 1400
		timeouts       = { create = "`+ample+`" }`))
	destroyAtLast(p)
	lab.joinByHand(t, "rome", "milan")()
	configurations := lab.configurations(t)
	lab.command(t, "set", "milan", "connect=false")
	t.Cleanup(func() { lab.command(t, "set", "milan", "connect=true") })
	for range 2 {
		p.refused("apply", "-auto-approve")
		if left := p.resources(); left != "" {
			t.Errorf("the failed adoption is in the state: %s", left)
		}
		if now := lab.configurations(t); !slices.Equal(now, configurations) {
			t.Errorf("the Configurations have changed from\n%v\nto\n%v", configurations, now)
		}
	}
	lab.command(t, "set", "milan", "connect=true")
	p.run("apply", "-auto-approve")
	p.unchanged()
}

// configurations returns the Configurations of Rome and Milan, with their labels and annotations.
func (l *Lab) configurations(t *testing.T) []string {
	t.Helper()
	var lines []string
	for _, name := range []string{"rome", "milan"} {
		var list networkingv1beta1.ConfigurationList
		if err := l.client(t, name).List(t.Context(), &list); err != nil {
			t.Fatal(err)
		}
		for _, one := range list.Items {
			lines = append(lines, fmt.Sprintf("%s %s %s %v %v", name, one.Name, one.UID, one.Labels, one.Annotations))
		}
	}
	return lines
}

func TestAccTheNextApplyContinuesAfterAKilledOne(t *testing.T) {
	lab := borrowLab(t)
	lab.command(t, "set", "milan", "load-balancer=false")
	t.Cleanup(func() { lab.command(t, "set", "milan", "load-balancer=true") })
	const config = `
		resource "liqo_shortcut" "s" {
		  client = "rome"
		  server = "milan"
		}`
	p := lab.stateIn(t, "killed", config)
	destroyAtLast(p)
	p.killWhen(lab.happens(t, "milan", &networkingv1beta1.GatewayServerList{}, watch.Added), "apply", "-auto-approve")
	gateway := lab.gatewayServer(t)
	p.run("destroy", "-auto-approve") // the state is empty
	if now := lab.gatewayServer(t); now != gateway {
		t.Fatal("the destroy of an empty state has changed something")
	}
	looking := lab.stateIn(t, "looking", blockOf(t, sectionOf(t, lives, "After an apply that was killed"), "terraform"))
	says(t, looking.run("apply", "-auto-approve"), `+ client = "rome"`, "+ complete = false", `+ folder = "killed"`)
	lab.command(t, "set", "milan", "load-balancer=true")
	p.apply()
	if now := lab.gatewayServer(t); now != gateway {
		t.Error("the gateway was replaced")
	}
}

// killWhen runs a Terraform command. It kills Terraform and the provider as soon as the event happens.
func (p *project) killWhen(happens <-chan struct{}, args ...string) {
	p.t.Helper()
	running := p.begin(args...)
	<-happens
	if err := running.signal(syscall.SIGKILL); err != nil {
		p.t.Fatal(err)
	}
	_, _ = running.wait()
	p.unlock()
}

func TestAccAShortcutThatTerraformForgetsKeepsItsNetworkUntilItIsImportedAgain(t *testing.T) {
	lab := borrowLab(t)
	first, second := lab.stateIn(t, "first", joining("s", "rome", "milan", "")), lab.stateIn(
		t, "second", joining("s", "rome", "milan", ""),
	)
	destroyAtLast(first, second)
	first.apply()
	networks := lab.networks(t)
	first.configure(
		"provider \"liqo\" {}\nremoved {\n  from = liqo_shortcut.s\n  lifecycle {\n    destroy = false\n  }\n}",
	)
	first.run("apply", "-auto-approve")
	says(t, second.refused("apply", "-auto-approve"), "exists already on leaf", "in folder first")
	second.run("import", "liqo_shortcut.s", "rome/milan")
	second.unchanged()
	lab.sameNetworks(t, networks)
}

func TestAccATaintedShortcutIsReplaced(t *testing.T) {
	lab := borrowLab(t)
	p := lab.stateIn(t, "tainted", joining("s", "rome", "milan", ""))
	destroyAtLast(p)
	p.apply()
	gateway := lab.gatewayServer(t)
	p.run("taint", "liqo_shortcut.s")
	says(t, p.run("apply", "-auto-approve"), "1 added, 0 changed, 1 destroyed")
	p.unchanged()
	if now := lab.gatewayServer(t); now == gateway {
		t.Error("the gateway was not replaced")
	}
}

func TestAccLookingAtAShortcutChangesNothing(t *testing.T) {
	lab := borrowTopology(t)
	p := lab.stateIn(t, "looking", joining("s", "rome", "milan", "")+joining("other", "rome", "naples", ""))
	destroyAtLast(p)
	says(t, p.run("apply", "-auto-approve", "-target=liqo_shortcut.s"), "1 added, 0 changed, 0 destroyed")
	networks := lab.networks(t)
	p.run("apply", "-auto-approve", "-refresh-only")
	p.run("apply", "-auto-approve", "-target=liqo_shortcut.s")
	p.run("plan", "-refresh=false", "-target=liqo_shortcut.s", "-detailed-exitcode")
	lab.sameNetworks(t, networks)
}

func TestAccAWorkspaceHasItsOwnShortcuts(t *testing.T) {
	lab := borrowLab(t)
	p := lab.stateIn(t, "workspaces", joining("s", "rome", "milan", ""))
	destroyAtLast(p)
	p.apply()
	networks := lab.networks(t)
	p.run("workspace", "new", "staging")
	says(t, p.refused("apply", "-auto-approve"), "exists already on leaf", "in folder workspaces, workspace default")
	p.run("destroy", "-auto-approve")
	p.run("workspace", "select", "default")
	lab.sameNetworks(t, networks)
	p.unchanged()
}

func TestAccASecondNetworkOfThePairIsAWarning(t *testing.T) {
	lab := borrowLab(t)
	p := lab.stateIn(t, "second", joining("s", "rome", "milan", ""))
	destroyAtLast(p)
	p.apply()
	second := &networkingv1beta1.Configuration{}
	milan := client.ObjectKey{Namespace: "liqo-tenant-milan", Name: "milan"}
	if err := lab.client(t, "rome").Get(t.Context(), milan, second); err != nil {
		t.Fatal(err)
	}
	second = &networkingv1beta1.Configuration{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: "milan", Labels: map[string]string{consts.RemoteClusterID: "milan"},
		},
		Spec: second.Spec,
	}
	rome := lab.administrator(t, "rome")
	if err := rome.Create(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	says(
		t, p.run("plan", "-detailed-exitcode"), "A second network connects the pair",
		`Configuration default/milan on leaf "rome"`,
	)
	p.configure(joining("s", "rome", "milan", "mtu = 1400"))
	p.run("apply", "-auto-approve")
	says(t, p.run("destroy", "-auto-approve"), `Warning: Some objects were kept on leaf "rome"`, "Objects that "+
		"someone else created stay: Configuration default/milan.")
	if err := rome.Delete(t.Context(), second); err != nil {
		t.Errorf("the second network has lost its Configuration: %v", err)
	}
	p.run("apply", "-auto-approve") // takes over the remaining objects, so that the last destroy removes them
}
