package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// runDetached runs the lab in its own process and session, and returns when it is ready.
func (u *up) runDetached() error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(executable, inBackground(os.Args[1:])...)
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	child.Stderr = os.Stderr // until the lab is ready; then the child lets go of it
	stdout, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	state, err := labdir.ReadAnnounced(stdout)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the lab did not start: %w", child.Wait())
	}
	if err != nil {
		return err
	}
	return errors.Join(u.announce(os.Stdout, state), child.Process.Release())
}

// inBackground returns the arguments of the process that is the lab, from those of the command that detaches it. All
// flags stay.
func inBackground(args []string) []string {
	return append(args, "--detach=false", "--background", "--json")
}
