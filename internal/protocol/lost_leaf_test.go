package protocol

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// forced is a shortcut that gives up a leaf which is gone.
var forced = between("milan", overNodePort+"\nabandon_lost_cluster = true")

// isDestroyedWithoutMilan destroys a shortcut that has given up Milan, where all its objects stay. Once Milan is back,
// they are imported and removed.
func (p *project) isDestroyedWithoutMilan(comesBack func()) {
	p.t.Helper()
	p.destroy().says("Warning: Only one leaf was cleaned", `Cluster "milan" (milan) is gone.`)
	for what := range p.leaves.requested() {
		if strings.HasPrefix(what, "rome ") {
			p.t.Errorf("the destroy has left the %s", what)
		}
	}
	comesBack()
	imported := p.leaves.project(p.t, between("milan", overNodePort))
	imported.imports(romeMilan, "rome/milan")
	imported.destroy()
	if left := p.leaves.requested(); len(left) > 0 {
		p.t.Errorf("the destroy of the imported shortcut has left %v", left)
	}
}

func TestALostLeafBlocksNothingElseAndIsGivenUpOnlyByForce(t *testing.T) {
	const romeEntry = "rome = { config_path = var.kubeconfig, config_context = \"rome\" }\n"
	for name, test := range map[string]struct{ milan, says string }{
		"its name": {"", "Unknown leaf milan"},
		"its Liqo": {
			`milan = { config_path = var.kubeconfig, config_context = "milan", liqo_namespace = "default" }`,
			`No Liqo in namespace "default" on leaf "milan"`,
		},
		"its address": {
			`milan = { config_path = var.kubeconfig, config_context = "milan", cluster_ca_certificate = var.other_authority }`,
			`The API server's certificate is not trusted on leaf "milan"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := leavesFor(t)
			p := l.project(t, between("milan", overNodePort))
			p.set("kubeconfig", cty.StringVal(l.kubeconfig))
			p.set("other_authority", cty.StringVal(l.of("rome").CertificateAuthority))
			p.apply()
			before := p.instance(romeMilan).value

			lost := "provider \"liqo\" {\n  clusters = {\n" + romeEntry + test.milan + "\n}\n}\n"
			p.configure(lost + between("milan", overNodePort) + `
				resource "liqo_configuration" "turin" {
				  cluster           = "rome"
				  remote_cluster_id = "turin"
				  pod_cidrs         = ["10.220.0.0/16"]
				  external_cidr     = "10.221.0.0/16"
				}`)
			applied := p.applyOnce()
			applied.says("Warning: "+test.says, "The shortcut could not be refreshed. Its state stays unchanged.")
			applied.does("create", "liqo_configuration.turin")
			applied.does("no-op", romeMilan)
			if after := p.instance(romeMilan).value; !after.RawEquals(before) {
				t.Errorf("the state has changed from:\n%s\nto:\n%s", shown(before), shown(after))
			}
			p.configure(lost + between("milan", overNodePort))
			p.applyOnce().does("delete", "liqo_configuration.turin")
			p.destroyFails("Error: "+test.says, "If this leaf is gone for good, apply `abandon_lost_cluster = true`, then "+
				"destroy")

			p.configure(lost + forced)
			p.applyOnce().does("update", romeMilan)
			p.isDestroyedWithoutMilan(func() {})
		})
	}
}

func TestADestroyCleansTheOtherLeafIfOneIsGone(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, forced)
	p.apply()
	l.of("milan").Stop()
	p.isDestroyedWithoutMilan(l.of("milan").Start)
}

// losesMilan lets a project give up Milan, which does not answer any more.
func (p *project) losesMilan() {
	p.t.Helper()
	p.leaves.of("milan").Stop()
	p.configure(forced)
	applied := p.applyOnce()
	applied.does("update", romeMilan)
	applied.says(`Warning: The API server can't be reached on leaf "milan"`,
		"The shortcut could not be refreshed. Its state stays unchanged.")
	p.plan().isEmpty()
}

func TestAnImportedShortcutGivesUpALostLeafBeforeItsFirstUpdate(t *testing.T) {
	for name, imports := range map[string]func(*project){
		"imported with a command": func(p *project) { p.imports(romeMilan, "rome/milan") },
		"imported with a block": func(p *project) {
			p.configure(between("milan", overNodePort) + `
				import {
				  to = liqo_shortcut.rome_milan
				  id = "rome/milan"
				}`)
			p.apply()
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := leavesFor(t)
			l.joinedByHand()
			p := l.project(t, between("milan", overNodePort))
			imports(p)
			p.losesMilan()
			p.isDestroyedWithoutMilan(l.of("milan").Start)
		})
	}
}

func TestAnImportedShortcutIsMarkedAfterALostLeafIsBack(t *testing.T) {
	l := leavesFor(t)
	l.joinedByHand()
	before := l.networks()
	p := l.project(t, between("milan", overNodePort))
	p.imports(romeMilan, "rome/milan")
	p.losesMilan()
	l.of("milan").Start()
	p.plan().isEmpty()
	l.sameNetworks(before) // without a change, it stays the other one's
	p.configure(between("milan", overNodePort+"\nmtu = 1400"))
	p.apply().does("update", romeMilan)
	for what, owner := range l.networks() {
		if !strings.Contains(owner, "terraform-provider-liqo") {
			t.Errorf("the update has not marked the %s: %s", what, owner)
		}
	}
}

func TestALeafRemovedFromTheProviderBlockCanBeGivenUp(t *testing.T) {
	const unknown = "Unknown leaf milan"
	l := leavesFor(t)
	both, one := map[string]string{"rome": "rome", "milan": "milan"}, map[string]string{"rome": "rome"}
	p := l.project(t, l.known(both)+between("milan", overNodePort))
	p.apply()
	p.configure(l.known(one) + between("milan", overNodePort))
	p.destroyFails("Error: " + unknown)
	p.plan().says("Warning: " + unknown)
	p.configure(l.known(one) + forced)
	applied := p.applyOnce()
	applied.does("update", romeMilan)
	applied.says("Warning: " + unknown)
	p.isDestroyedWithoutMilan(func() {})
}

func TestAForcedDestroyGivesUpOneLeafNotBoth(t *testing.T) {
	const neither = "Neither leaf can be cleaned."
	l := leavesFor(t, topology...)
	p := l.project(t, forced)
	p.apply()
	// One has no Liqo, and the other one is no neighbor of Rome's.
	p.configure(l.known(map[string]string{"rome": "venice", "milan": "europe"}) + forced)
	p.destroyFails(neither, "`terraform state rm`")
	p.applyFails(neither)
	p.has(romeMilan, "rome/milan", "id")
	p.configure(forced)
	p.destroy()
}

func TestALeafToWhichNothingWasSentIsNotGivenUp(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, forced)
	p.apply()
	before := l.requested()
	reachedAt := func(host string) string {
		return fmt.Sprintf(`
			provider "liqo" {
			  config_path = %q
			  clusters    = { milan = { config_context = "milan", host = %q } }
			}`, l.kubeconfig, host) + forced
	}
	p.configure(reachedAt("https://milan.invalid:6443"))
	const says = `Error: The API server's name is not resolved on leaf "milan"`
	p.planFails(says, "then it counts as lost")
	p.destroyFails(says)
	if after := l.requested(); len(after) != len(before) {
		t.Errorf("left are %v", after)
	}
	p.configure(reachedAt(l.of("milan").URL()))
	p.plan().isEmpty()
}

func TestAKubeconfigThatTheApplyWritesIsAWarningBeforeIt(t *testing.T) {
	l := leavesFor(t)
	path := filepath.Join(t.TempDir(), "milan.yaml")
	p := l.project(t, fmt.Sprintf(`
		provider "liqo" {
		  config_path = %q
		  clusters    = { milan = { config_path = %q, config_context = "milan" } }
		}`, l.kubeconfig, path)+between("milan", overNodePort))
	const says = "If this apply writes the file, the leaf is checked then."
	planned := p.plan()
	planned.does("create", romeMilan)
	planned.says(`Warning: Credentials can't be used on leaf "milan"`, says)
	p.applyFails(`Error: Credentials can't be used on leaf "milan"`)
	content, err := os.ReadFile(l.kubeconfig)
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	must(t, err)
	p.apply()
	must(t, os.Remove(path))
	planned = p.plan()
	planned.isEmpty()
	planned.says("Warning: Credentials can't be used", says, "Its state stays unchanged.")
	p.destroyFails(`Error: Credentials can't be used on leaf "milan"`)
}
