//go:build unix

package access

import (
	"os/exec"
	"syscall"
)

// alone gives a program a process group of its own, with the programs that it will start.
func alone(program *exec.Cmd) { program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// tell sends a signal to the process group of a program.
func tell(program *exec.Cmd, signal syscall.Signal) error {
	return syscall.Kill(-program.Process.Pid, signal)
}
