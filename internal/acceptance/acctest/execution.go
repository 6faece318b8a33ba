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
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
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
	Must(p.T, running.command.Start())
	go func() {
		defer close(running.Ended)
		running.err = running.command.Wait()
	}()
	return running
}

// Unlock removes the lock of the state that a killed Terraform has left, if there is one.
func (p *Project) Unlock() {
	p.T.Helper()
	Must(p.T, os.RemoveAll(filepath.Join(p.Dir, ".terraform.tfstate.lock.info")))
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
	return kill(-r.command.Process.Pid, signal)
}

// SignalProvider does nothing if no provider runs at the moment.
func (r *Execution) SignalProvider(signal syscall.Signal) error {
	var errs []error
	for _, pid := range processes("terraform-provi", func(pid int) bool {
		group, _ := syscall.Getpgid(pid) // it may have ended
		return group == r.command.Process.Pid
	}) {
		errs = append(errs, kill(pid, signal))
	}
	return errors.Join(errs...)
}

// kill sends a signal to a process or, with a negative number, to a group of them. It does nothing if it has ended.
func kill(pid int, signal syscall.Signal) error {
	if err := syscall.Kill(pid, signal); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// processes returns those whose names begin so and that are meant.
func processes(name string, meant func(pid int) bool) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/comm") // the pattern is right
	for _, process := range all {
		pid, notNumber := strconv.Atoi(filepath.Base(filepath.Dir(process)))
		called, gone := os.ReadFile(process)
		if gone == nil && notNumber == nil && strings.HasPrefix(string(called), name) && meant(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// OverTokens is a provider block whose leaves are known by their addresses and tokens.
const OverTokens = `
	variable "leaves" {
	  type = map(object({
	    host                   = string
	    cluster_ca_certificate = string
	    token                  = string
	  }))
	  sensitive = true
	}
	provider "liqo" {
	  clusters = var.leaves
	}
	`

// Runner is a machine that runs Terraform. It has its own state, and its own way to each leaf.
type Runner struct {
	*Project

	Name string
	Ways map[string]*clustertest.Proxy // keyed by the leaf
}

// NewRunner returns a runner with this configuration and these leaves.
func (l *RealLab) NewRunner(t *testing.T, name, config string, leaves map[string]Leaf) *Runner {
	t.Helper()
	r := &Runner{Name: name, Ways: map[string]*clustertest.Proxy{}}
	own := map[string]Leaf{}
	for name, direct := range leaves {
		r.Ways[name], own[name] = ProxyFor(t, direct)
	}
	r.Project = l.emptyIn(t, name)
	r.SetJSON("TF_VAR_leaves", own)
	r.Configure(OverTokens + config)
	return r
}
