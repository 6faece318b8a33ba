// Command liqo-demo demonstrates the provider. It starts real clusters, connects two of them with
// Terraform, and shows the result. Then it destroys the connection and checks that nothing is left.
// It uses the lab and Terraform only by running their programs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/inspect"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/programs"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/progress"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "\nliqo-demo: %s\n", inspect.Lines(err.Error()))
		os.Exit(1)
	}
}

func run() error {
	repo := flag.String("repo", ".", "the repository's folder")
	lab := flag.String("liqo-lab", "bin/liqo-lab", "the lab's program; a relative path starts at the repository")
	flag.Parse()

	ctx, stop := programs.Interruptible()
	defer stop()

	d, err := newDemo(*repo, *lab)
	if err != nil {
		return err
	}
	held, closed := d.run(ctx), d.close()
	return errors.Join(programs.Outcome(ctx, held), closed)
}

// newDemo creates the temporary folder, which close removes.
func newDemo(repo, lab string) (*demo, error) {
	repo, err := filepath.Abs(repo)
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(lab) {
		lab = filepath.Join(repo, lab)
	}
	if _, err := os.Stat(lab); err != nil {
		return nil, fmt.Errorf("the lab's program is missing, `make demo` builds it: %w", err)
	}
	dir, err := os.MkdirTemp("", "liqo-demo-")
	if err != nil {
		return nil, err
	}
	return &demo{repo: repo, dir: dir, lab: lab, out: newNarrator(os.Stdout)}, nil
}

// demo is one run, with the values that its steps share.
type demo struct {
	repo string // the repository's folder
	dir  string // temporary, removed at the end
	lab  string // path of liqo-lab
	out  *narrator

	clusters  *programs.Clusters
	terraform *programs.Terraform
	before    []string // inventory, before Terraform has done anything
	inMilan   string   // address of Milan's pod, if pods run
}

// step is one step of the demo, with its heading.
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
		{"Start a pod in Rome and one in Milan", d.startPods},
		{"Note every object in every cluster", d.takeInventory},
		{"terraform apply: connect Rome and Milan", d.apply},
		{"terraform apply: send packets from pod to pod, in both directions", d.testPackets},
		{"Connection objects on both clusters", func(ctx context.Context) error {
			return d.clusters.Get(ctx, d.out, "connections.networking.liqo.io")
		}},
		{"terraform plan: nothing left to do", func(ctx context.Context) error {
			return d.terraform.PlanIsEmpty(ctx, d.out)
		}},
		{"terraform destroy", d.destroy},
		{"Ping Milan's pod again: no packet crosses", d.noPacketCrosses},
		{"Compare every object in every cluster with the note", d.nothingIsLeft},
	}
}

// run runs the steps in order. It stops at the first one that fails.
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

// close stops the clusters and removes every file. It can be called after any step, even a failed
// one.
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

// provider returns the path of the provider's program, where Terraform finds it.
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
	d.clusters, err = programs.StartClusters(ctx, d.out, d.lab, filepath.Join(d.dir, "lab"), "--dataplane=auto")
	if err != nil {
		return err
	}
	for _, c := range d.clusters.Clusters {
		d.out.say("%-8s pods %-16s external %-16s %s", c.Name, c.PodCIDR, c.ExternalCIDR, c.Server)
	}
	d.terraform.Set("TF_VAR_kubeconfig", d.clusters.Kubeconfig)
	return nil
}

// hasPackets reports whether the clusters' data plane carries packets. If not, it tells the user.
func (d *demo) hasPackets() bool {
	if d.clusters.DataPlane == "real" {
		return true
	}
	d.out.say("left out: the data plane is simulated here; packets need root and /dev/net/tun")
	return false
}

// startPods starts the two pods that exchange packets. Each cluster of the demo has its own pod
// CIDR, so each pod is reachable at its own address.
func (d *demo) startPods(ctx context.Context) (err error) {
	if !d.hasPackets() {
		return nil
	}
	inRome, err := d.clusters.RunPod(ctx, pod("rome"))
	if err != nil {
		return err
	}
	if d.inMilan, err = d.clusters.RunPod(ctx, pod("milan")); err != nil {
		return err
	}
	d.out.say("rome %s, milan %s", inRome, d.inMilan)
	return d.noPacketCrosses(ctx)
}

// pod returns the name of a cluster's pod.
func pod(cluster string) string { return cluster + "/default/a" }

// testPackets adds a connectivity test to the configuration.
func (d *demo) testPackets(ctx context.Context) error {
	if !d.hasPackets() {
		return nil
	}
	d.terraform.Set("TF_VAR_test_packets", "true")
	return d.apply(ctx)
}

// noPacketCrosses pings Milan's pod from Rome's, while there is no network that could be tested. It
// fails if a ping is answered.
func (d *demo) noPacketCrosses(ctx context.Context) error {
	if !d.hasPackets() {
		return nil
	}
	result, err := d.clusters.Ping(ctx, pod("rome"), d.inMilan)
	if err != nil {
		return err
	}
	d.out.say("%d of %d pings from Rome to %s are answered", result.Received, result.Sent, d.inMilan)
	if result.Received > 0 {
		return fmt.Errorf("%d pings are answered", result.Received)
	}
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

func (d *demo) destroy(ctx context.Context) error {
	return d.terraform.Run(ctx, d.out, "destroy", "-auto-approve")
}

func (d *demo) nothingIsLeft(ctx context.Context) error {
	after, err := d.clusters.Inventory(ctx)
	if err != nil {
		return err
	}
	difference := inspect.Compare(d.before, after)
	for _, line := range difference.Lines() {
		d.out.say("%s", line)
	}
	if !difference.Empty() {
		return fmt.Errorf("%d objects more and %d fewer than before apply", len(difference.Added), len(difference.Removed))
	}
	d.out.say("%d objects, the same as before: nothing is left", len(after))
	return nil
}

// narrator prints the current step, and stores how long each step took. The output of the step's
// programs is written to it, too. So on a terminal, the step and its time stay below that output.
type narrator struct {
	*progress.Reporter

	taken []string // how long each step took
}

func newNarrator(w io.Writer) *narrator {
	return &narrator{Reporter: progress.New(w)}
}

// step prints the heading, runs f, and prints how long it took.
func (n *narrator) step(number, of int, heading string, f func() error) error {
	n.Say("\n==> [%d/%d] %s", number, of, heading)
	start := time.Now()
	done := n.During(fmt.Sprintf("[%d/%d] %s", number, of, heading))
	err := f()
	done()
	took := time.Since(start).Round(10 * time.Millisecond)
	n.taken = append(n.taken, fmt.Sprintf("%8v  %s", took, heading))
	n.say("(%v)", took)
	return err
}

// say prints a line under the current heading.
func (n *narrator) say(format string, args ...any) {
	n.Say("    "+format, args...)
}

// summary prints all steps with their times.
func (n *narrator) summary() {
	n.Say("\n==> All steps passed")
	for _, step := range n.taken {
		n.say("%s", step)
	}
}
