// Package programs runs the lab and Terraform as separate programs, as users do. The demo and the
// benchmark use it.
package programs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/probe"
)

// Clusters are the clusters of a running lab.
type Clusters struct {
	labdir.State

	lab     string // path of liqo-lab
	process *exec.Cmd
	// The lab stops when its standard input ends: when Stop closes it, and when the caller itself
	// is killed.
	stdin io.Closer
}

// StartClusters returns when Liqo is ready in all clusters. Lab is the path of liqo-lab. Dir is a
// folder for it to create. Options are further flags of `liqo-lab up`. Out gets the lab's output.
//
// The process is not bound to ctx, because an interrupted Terraform still needs the API servers to
// end in order. An interrupt while the clusters start closes the lab's standard input instead.
func StartClusters(ctx context.Context, out io.Writer, lab, dir string, options ...string) (*Clusters, error) {
	args := append([]string{"up", "--dir", dir, "--json", "--stop-on-stdin-eof"}, options...)
	cmd := Command(context.WithoutCancel(ctx), lab, args...)
	cmd.Stderr = out
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &Clusters{lab: lab, process: cmd, stdin: stdin}
	unwatch := context.AfterFunc(ctx, func() { _ = stdin.Close() })
	c.State, err = labdir.ReadAnnounced(stdout)
	if errors.Is(err, io.EOF) {
		err = errors.New("liqo-lab ended before its clusters were ready")
	}
	if interrupted := !unwatch(); interrupted || err != nil {
		return nil, errors.Join(ctx.Err(), err, c.Stop())
	}
	return c, nil
}

// Stop returns when every process of the lab has ended. It does nothing for clusters that never
// started.
func (c *Clusters) Stop() error {
	if c == nil || c.process == nil {
		return nil
	}
	_ = c.stdin.Close()
	err := c.process.Wait()
	c.process = nil
	if err != nil {
		return fmt.Errorf("liqo-lab up: %w", err)
	}
	return nil
}

// Get writes a table of the objects of one kind in all clusters.
func (c *Clusters) Get(ctx context.Context, out io.Writer, resource string) error {
	if err := Show(out, Command(ctx, c.lab, "get", resource, "--dir", c.Dir)); err != nil {
		return fmt.Errorf("liqo-lab get %s: %w", resource, err)
	}
	return nil
}

// Inventory returns a sorted line for every object in every cluster.
func (c *Clusters) Inventory(ctx context.Context) ([]string, error) {
	out, err := c.output(ctx, "inventory")
	return strings.FieldsFunc(out, func(r rune) bool { return r == '\n' }), err
}

// RunPod starts a pod, given as cluster/namespace/name, and returns its address when it runs.
func (c *Clusters) RunPod(ctx context.Context, pod string) (string, error) {
	out, err := c.output(ctx, "run", pod)
	return strings.TrimSpace(out), err
}

// Ping pings an address from a pod. No answer is a result, too.
func (c *Clusters) Ping(ctx context.Context, pod, address string) (probe.Result, error) {
	out, err := c.output(ctx, "ping", pod, address) // it fails if there is no answer
	var result probe.Result
	if json.Unmarshal([]byte(out), &result) == nil {
		err = nil
	}
	return result, err
}

// output returns what a command of liqo-lab prints. The error has what it says.
func (c *Clusters) output(ctx context.Context, args ...string) (string, error) {
	cmd := Command(ctx, c.lab, append(args, "--dir", c.Dir)...)
	var failure strings.Builder
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("liqo-lab %s: %w: %s", strings.Join(args, " "), err, &failure)
	}
	return string(out), err
}

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
