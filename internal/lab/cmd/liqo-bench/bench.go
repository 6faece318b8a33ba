package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/figures"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/programs"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/progress"
)

// bench is one run, and the values that its parts share.
type bench struct {
	*options
	dir    string // temporary, removed at the end
	report *progress.Reporter

	cli, liqoctl string // paths of the programs

	found figures.Report
}

// measure is one thing that can be measured separately. Users select it by its name.
type measure struct {
	name string
	// leaves is the number of leaves in the measure's lab. Measures with the same number share a
	// lab.
	leaves func(*bench) int
	run    func(*bench, context.Context, *leaves) error
}

// measures is the whole benchmark, in order.
var measures = []measure{
	{"program", noLeaves, (*bench).measureProgram},
	{"fleet", noLeaves, (*bench).measureFleet},
	{"distance", twoLeaves, (*bench).measureDistance},
	{"one", fiveLeaves, (*bench).measureOne},
	{"ten", fiveLeaves, (*bench).measureTen},
	{"scale", func(b *bench) int { return b.largestMesh }, (*bench).measureScale},
}

// tenLeaves is the number of leaves of which each pair gets one of ten shortcuts.
const tenLeaves = 5

func noLeaves(*bench) int { return 0 }

func twoLeaves(*bench) int { return 2 }

func fiveLeaves(*bench) int { return tenLeaves }

func measureNames() []string {
	names := make([]string, len(measures))
	for i, m := range measures {
		names[i] = m.name
	}
	return names
}

func checkMeasures(names []string) error {
	for i, name := range names {
		if !slices.Contains(measureNames(), name) || slices.Contains(names[:i], name) {
			return fmt.Errorf("-measures takes each of %s once, and not %q",
				strings.Join(measureNames(), ", "), strings.Join(names, ","))
		}
	}
	return nil
}

// newBench creates the temporary folder, which close removes.
func newBench(o *options, report *progress.Reporter) (*bench, error) {
	for _, program := range []string{o.lab, o.provider} {
		if _, err := os.Stat(program); err != nil {
			return nil, fmt.Errorf("a program is missing that `make bench` builds: %w", err)
		}
	}
	machine, err := figures.ThisMachine()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "liqo-bench-")
	if err != nil {
		return nil, err
	}
	found := figures.Report{Date: time.Now().UTC().Truncate(time.Second), Machine: machine, Command: o.command}
	return &bench{options: o, dir: dir, report: report, found: found}, nil
}

func (b *bench) close() error { return os.RemoveAll(b.dir) }

// run runs the selected measures and writes the results.
func (b *bench) run(ctx context.Context) error {
	start := time.Now()
	if err := b.findPrograms(ctx); err != nil {
		return err
	}
	for i := 0; i < len(measures); {
		next := i + 1
		for next < len(measures) && measures[next].leaves(b) == measures[i].leaves(b) {
			next++
		}
		if err := b.runInOneLab(ctx, measures[i:next]); err != nil {
			return err
		}
		i = next
	}
	b.report.Say("Everything is measured after %s.\n", time.Since(start).Round(time.Second))
	return b.write()
}

// runInOneLab runs the selected measures of the group, and ensures that nothing is left of them.
func (b *bench) runInOneLab(ctx context.Context, group []measure) (err error) {
	group = slices.DeleteFunc(slices.Clone(group), func(m measure) bool { return !slices.Contains(b.measures, m.name) })
	if len(group) == 0 {
		return nil
	}
	var on *leaves
	if count := group[0].leaves(b); count > 0 {
		b.report.Say("Starting %d clusters.", count)
		on, err = b.startLeaves(ctx, count)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, on.clusters.Stop()) }()
	}
	for _, m := range group {
		if err := m.run(b, ctx, on); err != nil {
			return fmt.Errorf("measure %s: %w", m.name, err)
		}
	}
	if on == nil {
		return nil
	}
	return on.nothingIsLeft(ctx)
}

// add stores a figure.
func (b *bench) add(f figures.Figure) {
	b.found.Figures = append(b.found.Figures, f)
}

// write prints the table and writes the pages.
func (b *bench) write() error {
	if err := b.found.WriteTable(os.Stdout); err != nil {
		return err
	}
	if !b.everythingIsMeasured {
		return nil
	}
	return errors.Join(b.writeTo(b.page, b.found.WritePage), b.writeTo(b.details, b.found.WriteDetails))
}

func (b *bench) writeTo(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	b.report.Say("\nWritten: %s", path)
	return errors.Join(write(file), file.Close())
}

// findPrograms finds Terraform and liqoctl, or has them built, and reads all versions.
func (b *bench) findPrograms(ctx context.Context) (err error) {
	if b.cli, err = programs.FindCLI(ctx, os.Stderr, b.lab); err != nil {
		return err
	}
	out, err := programs.Command(ctx, b.lab, "build", "--liqoctl").Output()
	if err != nil {
		return fmt.Errorf("liqo-lab build --liqoctl: %w", err)
	}
	b.liqoctl = strings.TrimSpace(string(out))
	b.found.Versions, err = b.versions(ctx)
	return err
}
