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
	const megabyte = 1e6
	size := float64(program.Size()) / megabyte
	b.report.Say("the provider's program has %.1f MB", size)

	var starts []time.Duration
	for range b.rounds + 1 {
		took, err := startToSchema(ctx, b.provider)
		if err != nil {
			return err
		}
		starts = append(starts, took)
	}
	starts = starts[1:] // the first has read the program from the disk
	sample := figures.Seconds(starts...)
	b.report.Say("the provider has served its schema after %.0f ms", sample.Median*1000)

	b.add(figures.Figure{
		ID: "binary", Name: "The provider's program", Unit: figures.Megabyte,
		How:  "The size of the file, built with a release's flags: without paths, symbols and cgo.",
		Ours: figures.NewSample(size), Goal: 45,
	})
	for i := range sample.Values {
		sample.Values[i] *= 1000
	}
	b.add(figures.Figure{
		ID: "start", Name: "From the provider's start to its schema", Unit: figures.Millisecond,
		How:  "The process is started as Terraform does it, and asked for its schema; the file is in the kernel's cache.",
		Ours: figures.NewSample(sample.Values...), Goal: 100,
	})
	return nil
}
