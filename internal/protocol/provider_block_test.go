package protocol

import (
	"fmt"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// listing returns a provider block with these entries of `clusters`.
func (l *leaves) listing(entries string) string {
	return fmt.Sprintf("provider \"liqo\" {\n  config_path = %q\n  clusters = { %s }\n}\n", l.kubeconfig, entries)
}

func TestAnEmptyCredentialIsRejectedBeforeAndDuringTheApply(t *testing.T) {
	l := leavesFor(t)
	refusal := []string{
		"Error: Empty value", `clusters["rome"].config_content is empty. Set a value, or remove the attribute.`,
	}
	l.project(t, l.listing(`rome = { config_content = "" }`)+between("milan", overNodePort)).planFails(refusal...)
	p := l.project(t, l.listing(`rome = { config_content = var.kubeconfig }`)+between("milan", overNodePort))
	p.unknown("kubeconfig", cty.StringVal(""))
	p.applyFails(refusal...)
}

func TestAnEntryWithoutCredentialsIsTheContextWithItsName(t *testing.T) {
	l := leavesFor(t, topology...)
	p := l.project(t, l.listing("rome = { liqo_namespace = \"liqo\" }\n milan = {}")+between("milan", overNodePort))
	p.apply()
	p.has(romeMilan, "Connected", "status")
	p.has(romeMilan, "rome", "client_cluster_id")
	p.has(romeMilan, "milan", "server_cluster_id")
	l.project(t, l.listing(`turin = { liqo_namespace = "liqo" }`)+`data "liqo_cluster" "turin" { name = "turin" }`).
		planFails(`Credentials can't be used on leaf "turin"`,
			"The entry \"turin\" of `clusters` does not say which cluster it is for. By default it is for the context "+
				"with its name, but kubeconfig",
			`has no context "turin"; it has "europe", "milan", "naples", "rome", "venice". Set`)
}

func TestCredentialsThatAreKnownOnlyAfterAnApplyDoNotFailThePlan(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, "provider \"liqo\" { config_path = var.kubeconfig }"+between("milan", overNodePort))
	p.unknown("kubeconfig", cty.StringVal(l.kubeconfig))
	created := p.applyOnce()
	created.does("create", romeMilan)
	created.doesNotSay("The plan has not looked at a leaf")
	p.has(romeMilan, "Connected", "status")
	p.unknown("kubeconfig", cty.StringVal(l.kubeconfig))
	p.plan().says("Warning: The plan has not looked at a leaf", `The credentials of "rome" and "milan" are known only`,
		"`replace_triggered_by`")
	p.set("kubeconfig", cty.StringVal(l.kubeconfig))
	p.plan().isEmpty()
}
