package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/inventory"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/programs"
)

// demo is one run, and what its steps hand on to each other.
type demo struct {
	repo string // the repository's folder
	dir  string // temporary, removed at the end
	lab  string // path of liqo-lab
	out  *narrator

	clusters  *programs.Clusters
	terraform *programs.Terraform
	before    []string // inventory, before Terraform has done anything
}

// step is one thing the demo shows, under a heading of its own.
type step struct {
	heading string
	run     func(context.Context) error
}

// steps is the whole demo, in order.
func (d *demo) steps() []step {
	return []step{
		{"Build the provider", d.buildProvider},
		{"Find Terraform, or build OpenTofu where there is none", d.findTerraform},
		{"Start the clusters: real API servers, with Liqo's own controllers", d.startClusters},
		{"Note every object in every cluster", d.takeInventory},
		{"terraform apply: connect Rome and Milan", d.apply},
		{"The clusters' own evidence: a Connection at either end", d.connections},
		{"terraform plan: nothing left to do", d.planIsEmpty},
		{"terraform destroy", d.destroy},
		{"Compare every object in every cluster with the note", d.nothingIsLeft},
	}
}

// run goes through the steps and stops at the first that does not hold.
func (d *demo) run(ctx context.Context) error {
	steps := d.steps()
	for i, s := range steps {
		if err := d.out.step(i+1, len(steps), s.heading, func() error { return s.run(ctx) }); err != nil {
			return fmt.Errorf("%s: %w", s.heading, err)
		}
	}
	d.out.summary()
	return nil
}

// close stops the clusters and removes every file. Safe to call after any step, done or failed.
func (d *demo) close() error {
	return errors.Join(d.clusters.Stop(), os.RemoveAll(d.dir))
}

func (d *demo) buildProvider(ctx context.Context) error {
	cmd := programs.Command(ctx, "go", "build", "-o", "bin/", ".")
	cmd.Dir = d.repo
	if err := programs.Show(d.out, cmd); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	d.out.say("bin/%s", filepath.Base(d.provider()))
	return nil
}

// provider is the path of the provider's program, where Terraform looks for it.
func (d *demo) provider() string {
	return filepath.Join(d.repo, "bin", "terraform-provider-liqo")
}

func (d *demo) findTerraform(ctx context.Context) error {
	cli, err := programs.FindCLI(ctx, d.out, d.lab)
	if err != nil {
		return err
	}
	d.terraform, err = programs.NewTerraform(cli, filepath.Join(d.dir, "terraform"), filepath.Dir(d.provider()),
		os.DirFS(filepath.Join(d.repo, "examples", "demo")))
	if err != nil {
		return err
	}
	d.out.say("%s", cli)
	return nil
}

func (d *demo) startClusters(ctx context.Context) (err error) {
	d.clusters, err = programs.StartClusters(ctx, d.out, d.lab, filepath.Join(d.dir, "lab"))
	if err != nil {
		return err
	}
	for _, c := range d.clusters.Clusters {
		d.out.say("%-8s pods %-16s external %-16s %s", c.Name, c.PodCIDR, c.ExternalCIDR, c.Server)
	}
	d.terraform.Set("TF_VAR_kubeconfig", d.clusters.Kubeconfig)
	return nil
}

func (d *demo) takeInventory(ctx context.Context) (err error) {
	d.before, err = d.clusters.Inventory(ctx)
	if err != nil {
		return err
	}
	d.out.say("%d objects", len(d.before))
	return nil
}

func (d *demo) apply(ctx context.Context) error {
	return d.terraform.Run(ctx, d.out, "apply", "-auto-approve")
}

func (d *demo) connections(ctx context.Context) error {
	return d.clusters.Get(ctx, d.out, "connections.networking.liqo.io")
}

func (d *demo) planIsEmpty(ctx context.Context) error {
	return d.terraform.PlanIsEmpty(ctx, d.out)
}

func (d *demo) destroy(ctx context.Context) error {
	return d.terraform.Run(ctx, d.out, "destroy", "-auto-approve")
}

func (d *demo) nothingIsLeft(ctx context.Context) error {
	after, err := d.clusters.Inventory(ctx)
	if err != nil {
		return err
	}
	difference := inventory.Compare(d.before, after)
	for _, line := range difference.Lines() {
		d.out.say("%s", line)
	}
	if !difference.Empty() {
		return fmt.Errorf("%d objects more and %d fewer than before apply", len(difference.Added), len(difference.Removed))
	}
	d.out.say("%d objects, the same as before: nothing is left", len(after))
	return nil
}
