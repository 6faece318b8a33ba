package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// runDetached runs the lab in a process of its own, in its own session, and returns when it is ready.
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
		"up", "--background", "--json", "--dir", dir,
		"--gateway-ready-after", u.gatewayReadyAfter.String(), "--connect-after", u.connectAfter.String(),
	}
	for _, cluster := range u.clusters {
		args = append(args, "--cluster", cluster)
	}
	if u.peerable {
		args = append(args, "--peerable")
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
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return errors.Join(err, fmt.Errorf("the lab did not start: %w", child.Wait()))
	}
	var state labdir.State
	if err := json.Unmarshal(line, &state); err != nil {
		return err
	}
	return errors.Join(u.announce(os.Stdout, state), child.Process.Release())
}
