package acctest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Execution is a running Terraform command, in a process group of its own.
type Execution struct {
	project *Project
	command *exec.Cmd
	output  bytes.Buffer
	Ended   chan struct{}
	err     error // once it has ended
}

// Begin starts a Terraform command. The lock that a killed one has left is removed before.
func (p *Project) Begin(args ...string) *Execution {
	p.T.Helper()
	p.Unlock()
	running := &Execution{
		project: p, command: p.Command(context.WithoutCancel(p.T.Context()), args...), Ended: make(chan struct{}),
	}
	running.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the provider is in the same group
	running.command.Stdout, running.command.Stderr = &running.output, &running.output
	if err := running.command.Start(); err != nil {
		p.T.Fatal(err)
	}
	go func() {
		defer close(running.Ended)
		running.err = running.command.Wait()
	}()
	return running
}

// Unlock removes the lock of the state that a killed Terraform has left, if there is one.
func (p *Project) Unlock() {
	p.T.Helper()
	if err := os.RemoveAll(filepath.Join(p.Dir, ".terraform.tfstate.lock.info")); err != nil {
		p.T.Fatal(err)
	}
}

// Wait returns the output of the command, and its error.
func (r *Execution) Wait() (string, error) {
	<-r.Ended
	return r.output.String(), r.err
}

// Signal does nothing if all processes have ended.
func (r *Execution) Signal(signal syscall.Signal) error {
	select {
	case <-r.Ended:
		return nil
	default:
	}
	if err := syscall.Kill(-r.command.Process.Pid, signal); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// SignalProvider does nothing if no provider runs at the moment.
func (r *Execution) SignalProvider(signal syscall.Signal) error {
	processes, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return err
	}
	for _, process := range processes {
		stat, err := os.ReadFile(process)
		if err != nil {
			continue // it has ended
		}
		// The process's ID, its name in parentheses, its state, its parent's ID.
		id, rest, _ := strings.Cut(string(stat), " (")
		name, rest, _ := strings.Cut(rest, ") ")
		if fields := strings.Fields(rest); !strings.HasPrefix(name, "terraform-provi") || len(fields) < 2 ||
			fields[1] != strconv.Itoa(r.command.Process.Pid) {
			continue
		}
		pid, err := strconv.Atoi(id)
		if err != nil {
			return err
		}
		if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}
