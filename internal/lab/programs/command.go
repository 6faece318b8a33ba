// Package programs runs the lab and Terraform as separate programs, as users do. The demo and the
// benchmark use it.
package programs

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// Command returns a program that shows its errors and warnings, and is interrupted when ctx ends.
//
// It runs in its own process group, so that Ctrl-C reaches only the caller. The caller then ends
// its children one after the other: Terraform before the clusters that it uses.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	return cmd
}

// Show runs a command and writes its output to out.
func Show(out io.Writer, cmd *exec.Cmd) error {
	cmd.Stdout, cmd.Stderr = out, out
	return cmd.Run()
}

// Interruptible returns a context for the work of a program. The first signal ends it, so that the
// program ends in order. A second signal ends the program at once.
func Interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// Outcome returns the error of the work in that context. It replaces the errors of interrupted
// steps with a short one.
func Outcome(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return err
}
