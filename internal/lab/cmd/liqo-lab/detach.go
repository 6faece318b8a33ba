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
	dir, err := u.folder()
	if err != nil {
		return err
	}
	args := []string{
		"up", "--background", "--json", "--dir", dir, "--dataplane", u.dataPlane,
		"--gateway-ready-after", u.gatewayReadyAfter.String(), "--connect-after", u.connectAfter.String(),
	}
	for _, cluster := range u.clusters {
		args = append(args, "--cluster", cluster)
	}
	if u.peerable {
		args = append(args, "--peerable")
	}
	if u.peered {
		args = append(args, "--peered")
	}
	for _, peering := range u.peerings {
		args = append(args, "--peer", peering)
	}
	child := exec.Command(executable, args...)
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
