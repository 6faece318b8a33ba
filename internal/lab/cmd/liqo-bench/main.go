// Command liqo-bench compares the provider, run by the real Terraform, with liqoctl. Both take turns on real clusters
// of one lab. It prints a table, and writes two pages: one for users, and one with everything.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/figures"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/programs"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/progress"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "\nliqo-bench: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	ctrl.SetLogger(klog.NewKlogr()) // without one, controller-runtime complains with a stack trace
	ctx, stop := programs.Interruptible()
	defer stop()

	b, err := newBench(o, progress.New(os.Stderr))
	if err != nil {
		return err
	}
	measured := programs.Outcome(ctx, b.run(ctx))
	return errors.Join(measured, b.close())
}

// options are the flags.
type options struct {
	lab, provider        string
	page, details        string
	measures             []string
	rounds, tenRounds    int
	largestMesh          int
	fleets               []figures.FleetSize
	command              string // how to run the same again
	everythingIsMeasured bool
	traced               bool
}

func parse(args []string) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("liqo-bench", flag.ContinueOnError)
	repo := flags.String("repo", ".", "the repository's folder; all other paths start there")
	flags.StringVar(&o.provider, "provider", "bin/release/terraform-provider-liqo",
		"the provider's program, built with a release's flags")
	flags.StringVar(&o.lab, "liqo-lab", "bin/liqo-lab", "the lab's program")
	flags.StringVar(&o.page, "page", "templates/guides/figures.md",
		"where to write the figures for users, if everything is measured")
	flags.StringVar(&o.details, "details", "internal/lab/cmd/liqo-bench/FIGURES.md",
		"where to write all figures, if everything is measured")
	chosen := flags.String("measures", strings.Join(measureNames(), ","), "what to measure")
	flags.IntVar(&o.rounds, "rounds", 5, "how often to measure one shortcut, plans and starts")
	flags.IntVar(&o.tenRounds, "ten-rounds", 3, "how often to measure ten shortcuts, and commands on distant leaves")
	flags.IntVar(&o.largestMesh, "largest-mesh", 10, "leaves of the largest full mesh, for the measure scale; at least 5")
	fleets := flags.String("fleets", "10x45,30x45,100x50,30x435,100x435,100x1000",
		"leaves and shortcuts of each fleet, for the measure fleet")
	flags.BoolVar(&o.traced, "trace", false,
		"print which requests to distant leaves waited for each other, for every command")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	o.measures = strings.Split(*chosen, ",")
	if err := checkMeasures(o.measures); err != nil {
		return nil, err
	}
	if o.rounds < 1 || o.tenRounds < 1 || o.largestMesh < tenLeaves {
		return nil, fmt.Errorf("there must be at least one round, and %d leaves", tenLeaves)
	}
	var err error
	if o.fleets, err = parseFleets(*fleets); err != nil {
		return nil, err
	}
	o.everythingIsMeasured = len(o.measures) == len(measures)
	o.command = "make bench"
	if len(args) > 0 {
		o.command += fmt.Sprintf(" BENCHFLAGS=%q", strings.Join(args, " "))
	}
	root, err := filepath.Abs(*repo)
	if err != nil {
		return nil, err
	}
	for _, path := range []*string{&o.lab, &o.provider, &o.page, &o.details} {
		if !filepath.IsAbs(*path) {
			*path = filepath.Join(root, *path)
		}
	}
	return o, nil
}
