package main

import (
	"context"
	"os"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/figures"
)

// measureProgram measures the provider's program alone.
func (b *bench) measureProgram(ctx context.Context, _ *leaves) error {
	program, err := os.Stat(b.provider)
	if err != nil {
		return err
	}
	var starts []float64
	for range b.rounds + 1 {
		began := time.Now()
		provider, err := b.serveProvider(ctx)
		if err != nil {
			return err
		}
		took := time.Since(began)
		provider.stop()
		starts = append(starts, float64(took)/float64(time.Millisecond))
	}
	b.add(figures.Figure{
		Name: "The provider's program", Unit: figures.Megabyte,
		How:  "The size of the file, built with a release's flags: without paths, symbols and cgo.",
		Ours: figures.NewSample(float64(program.Size()) / megabyte), Goal: 45, ForUsers: true,
	})
	b.add(figures.Figure{
		Name: "From the provider's start until it serves", Unit: figures.Millisecond,
		How: "The process is started as for a debugger, and tells how Terraform finds it; the file is in the kernel's " +
			"cache.",
		Ours: figures.NewSample(starts[1:]...), Goal: 100, // the first has read the program from the disk
	})
	return nil
}
