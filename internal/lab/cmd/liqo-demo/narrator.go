package main

import (
	"fmt"
	"io"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/progress"
)

// narrator prints the current step, and stores how long each step took. The output of the step's
// programs is written to it, too. So on a terminal, the step and its time stay below that output.
type narrator struct {
	*progress.Reporter

	taken []taken
}

type taken struct {
	heading string
	time    time.Duration
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
	t := taken{heading, time.Since(start).Round(10 * time.Millisecond)}
	n.taken = append(n.taken, t)
	n.say("(%v)", t.time)
	return err
}

// say prints a line under the current heading.
func (n *narrator) say(format string, args ...any) {
	n.Say("    "+format, args...)
}

// summary prints all steps with their times.
func (n *narrator) summary() {
	n.Say("\n==> All steps passed")
	for _, t := range n.taken {
		n.say("%8v  %s", t.time, t.heading)
	}
}
