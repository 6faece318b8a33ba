// Package programs runs the lab and Terraform as the programs that they are to everyone else, for those who show or measure the provider.
package programs

import (
	"context"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Command is a program that shows its errors and warnings, and is interrupted when ctx ends.
//
// It runs in a process group of its own. Ctrl-C then reaches the caller alone, which ends its children one after the
// other: Terraform before the clusters it talks to.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	return cmd
}

// Show runs a command and writes everything that it prints to out.
func Show(out io.Writer, cmd *exec.Cmd) error {
	cmd.Stdout, cmd.Stderr = out, out
	return cmd.Run()
}
