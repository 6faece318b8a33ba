// Command liqo-demo demonstrates the provider. It starts real clusters, connects two of them with
// Terraform, and shows the result. Then it destroys the connection and checks that nothing is left.
// It uses the lab and Terraform only by running their programs.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/inspect"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/programs"
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
