package main

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"
)

// command is what users do with a pair of distant leaves.
type command struct {
	id, name string
	run      func(context.Context) (time.Duration, error)

	goal     float64       // in round trips; 0 for liqoctl
	opponent string        // the ID of liqoctl's command for the same; empty if there is none
	pause    time.Duration // before it, which does not count
	remark   string        // on how it is measured
	forUsers bool          // the page for users has it
}

// commands are in the order in which one needs the other. They leave nothing behind.
func (b *bench) commands(away *far, on *leaves) ([]command, error) {
	p := pair{on.names[0], on.names[1]}
	ours, err := b.oursAway(away, "mesh", configuration)
	if err != nil {
		return nil, err
	}
	importing, err := b.oursAway(away, "import", configuration)
	if err != nil {
		return nil, err
	}
	commands := []command{
		{
			id: "plan-new", name: "`terraform plan` of a new shortcut", goal: 5,
			run: func(ctx context.Context) (time.Duration, error) { return ours.planNew(ctx, []pair{p}) },
		},
		{
			id: "apply", name: "`terraform apply` of a new shortcut", goal: 15, opponent: "connect", forUsers: true,
			remark: " It plans, and plans again in another process before it creates.",
			run: func(ctx context.Context) (time.Duration, error) {
				took, err := ours.apply(ctx, []pair{p})
				return took.whole, err
			},
		},
		{
			id: "plan", name: "`terraform plan` without changes", goal: 3.5, forUsers: true,
			run: func(ctx context.Context) (time.Duration, error) { return ours.plan(ctx) },
		},
		{
			id: "import", name: "`terraform import`", goal: 3.5,
			run: func(ctx context.Context) (time.Duration, error) { return importing.importPair(ctx, p) },
		},
	}
	views, err := b.viewsAway(away, p)
	if err != nil {
		return nil, err
	}
	return append(append(commands, views...), b.removals(away, on, ours, p)...), nil
}

// oursAway prepares Terraform in a folder with this name.
func (b *bench) oursAway(away *far, name string, configuration fs.FS) (*ours, error) {
	return newOurs(b.cli, filepath.Join(b.dir, "terraform-far-"+name), filepath.Dir(b.provider), away.kubeconfig,
		configuration)
}

// viewsAway are plans with one data source each.
func (b *bench) viewsAway(away *far, p pair) ([]command, error) {
	viewing, err := b.oursAway(away, "views", views)
	if err != nil {
		return nil, err
	}
	viewing.terraform.Set("TF_VAR_client", p.Client)
	viewing.terraform.Set("TF_VAR_server", p.Server)
	var commands []command
	for _, view := range []string{"cluster", "shortcut", "shortcuts", "topology"} {
		commands = append(commands, command{
			id: "data-" + view, name: fmt.Sprintf("`terraform plan` of `data.liqo_%s`", view), goal: 3.5,
			run: func(ctx context.Context) (time.Duration, error) {
				_, took, err := timed(viewing.terraform.Command(ctx, "plan", "-var=view="+view))
				return took, err
			},
		})
	}
	return commands, nil
}

// removals are the end of our shortcut, and the same with liqoctl from the begin to the end.
func (b *bench) removals(away *far, on *leaves, ours *ours, p pair) []command {
	theirs := &theirs{liqoctl: b.liqoctl, kubeconfig: away.kubeconfig, leaves: on.theirs.leaves}
	return []command{
		{
			id: "destroy", name: "`terraform destroy`", goal: 8, opponent: "reset", pause: 6 * time.Second,
			forUsers: true,
			remark: " Kubernetes empties a tenant namespace 5 s after the last change of one of its name, so a pause before " +
				"lets every destroy wait for the same time. liqoctl's reset waits for nothing, and keeps the namespaces.",
			run: ours.destroy,
		},
		{
			id: "connect", name: "`liqoctl network connect`",
			run: func(ctx context.Context) (time.Duration, error) { return theirs.connect(ctx, p) },
		},
		{
			id: "reset", name: "`liqoctl network reset`",
			run: func(ctx context.Context) (time.Duration, error) {
				took, err := theirs.run(ctx, p, "reset", "--skip-confirm")
				if err != nil {
					return 0, err
				}
				return took, on.theirs.clear(ctx, []pair{p})
			},
		},
	}
}
