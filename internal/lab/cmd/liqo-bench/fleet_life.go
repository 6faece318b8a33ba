package main

import (
	"context"
	"fmt"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/figures"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/fleet"
)

// fleetLife is the life of the shortcuts of one fleet.
type fleetLife struct {
	figures.FleetSize

	leaves     *fleet.Fleet
	kubeconfig string
	pairs      []pair
	mesh, view *ours // the shortcuts, and the topology of all leaves
}

func (b *bench) newFleetLife(leaves *fleet.Fleet, size figures.FleetSize, pairs []pair) (*fleetLife, error) {
	dir := filepath.Join(b.dir, fmt.Sprintf("fleet-%d-%d", size.Leaves, size.Shortcuts))
	l := &fleetLife{FleetSize: size, leaves: leaves, kubeconfig: dir + ".kubeconfig", pairs: pairs}
	err := clientcmd.WriteToFile(*leaves.Kubeconfig, l.kubeconfig)
	if err != nil {
		return nil, err
	}
	if l.mesh, err = newOurs(b.cli, dir, filepath.Dir(b.provider), l.kubeconfig, configuration); err != nil {
		return nil, err
	}
	l.view, err = newOurs(b.cli, dir+"-topology", filepath.Dir(b.provider), l.kubeconfig, fleetView)
	if err != nil {
		return nil, err
	}
	return l, l.mesh.choose(pairs)
}

// fleetCommand is what users do with the shortcuts of a fleet.
type fleetCommand struct {
	name    string
	of      func(*fleetLife) *ours
	args    func(*fleetLife) []string
	drift   bool // someone edits a gateway before
	changes bool // the plan has some
}

// fleetCommands are in the order of a life.
var fleetCommands = []fleetCommand{
	{name: "apply", of: meshOf, args: with("apply", "-auto-approve")},
	{name: "plan", of: meshOf, args: with("plan", "-detailed-exitcode")},
	{name: "plan -refresh=false", of: meshOf, args: with("plan", "-detailed-exitcode", "-refresh=false")},
	{name: "plan -target", of: meshOf, args: (*fleetLife).planOfOne},
	{name: "plan of a drift", of: meshOf, args: with("plan", "-detailed-exitcode"), drift: true, changes: true},
	{name: "topology", of: func(l *fleetLife) *ours { return l.view }, args: with("plan")},
	{name: "destroy", of: meshOf, args: with("destroy", "-auto-approve")},
}

func meshOf(l *fleetLife) *ours { return l.mesh }

func with(args ...string) func(*fleetLife) []string { return func(*fleetLife) []string { return args } }

func (l *fleetLife) planOfOne() []string {
	return []string{"plan", "-detailed-exitcode", fmt.Sprintf("-target=liqo_shortcut.mesh[%q]", l.pairs[0])}
}

// measureFleetCommand runs a command and returns what it has used.
func (b *bench) measureFleetCommand(ctx context.Context, l *fleetLife, c fleetCommand) (figures.FleetRun, error) {
	if c.drift {
		if err := edit(ctx, l.kubeconfig, l.pairs[0]); err != nil {
			return figures.FleetRun{}, err
		}
	}
	before, connected := l.leaves.Requests(), l.leaves.Connections()
	used, err := b.attached(ctx, c.of(l).terraform.Command(ctx, c.args(l)...))
	if err == nil && used.changes != c.changes {
		err = fmt.Errorf("it has changes: %t", used.changes)
	}
	return figures.FleetRun{
		FleetSize: l.FleetSize, Command: c.name,
		Seconds: used.took.Seconds(), Terraform: used.terraform.Seconds(), Provider: used.provider.Seconds(),
		Requests:    mostRequests(before, l.leaves.Requests(), func(r fleet.Request) string { return r.Leaf }),
		Connections: l.leaves.Connections() - connected, Megabytes: used.megabytes,
	}, err
}
