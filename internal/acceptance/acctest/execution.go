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

// Begin starts a Terraform command with a provider of its own. The lock that a killed one has left is removed before.
func (p *Project) Begin(args ...string) *Execution {
	p.T.Helper()
	p.Unlock()
	running := &Execution{
		project: p, command: p.unattached(context.WithoutCancel(p.T.Context()), args...), Ended: make(chan struct{}),
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

// Until returns when this happens, and fails the test if the command ends before.
func (r *Execution) Until(happens <-chan struct{}) {
	r.project.T.Helper()
	select {
	case <-happens:
	case <-r.Ended:
		r.project.T.Fatalf("the command has ended before: %v\n%s", r.err, &r.output)
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
	_, err := signalProcesses(signal, "terraform-provi", func(pid int) bool {
		group, _ := syscall.Getpgid(pid) // it may have ended
		return group == r.command.Process.Pid
	})
	return err
}

// signalProcesses sends a signal to those of the processes whose names begin so that are meant, and returns their
// number.
func signalProcesses(signal syscall.Signal, name string, meant func(pid int) bool) (sent int, err error) {
	processes, err := filepath.Glob("/proc/[0-9]*/comm")
	for _, process := range processes {
		pid, notNumber := strconv.Atoi(filepath.Base(filepath.Dir(process)))
		called, gone := os.ReadFile(process)
		if gone != nil || notNumber != nil || !strings.HasPrefix(string(called), name) || !meant(pid) {
			continue
		}
		switch failed := syscall.Kill(pid, signal); {
		case failed == nil:
			sent++
		case !errors.Is(failed, syscall.ESRCH):
			err = errors.Join(err, failed)
		}
	}
	return sent, err
}
