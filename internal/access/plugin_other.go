//go:build !unix

package access

import (
	"os/exec"
	"syscall"
)

// alone does nothing: this system has no process groups.
func alone(*exec.Cmd) {}

// tell ends a program. This system has no signals.
func tell(program *exec.Cmd, _ syscall.Signal) error { return program.Process.Kill() }
