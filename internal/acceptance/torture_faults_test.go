package acceptance

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fault is something that goes wrong while Terraform works.
type fault struct {
	name       string
	strike     func(*torture, *execution) error // nil if another state competes for the shortcut
	leaf       string                           // whose API server is away; an error must name it
	interrupts bool                             // as a user does, so that Terraform ends soon
}

// chooseFault returns a random fault for an operation.
func (r *torture) chooseFault(operation string) fault {
	faults := []fault{
		{name: "SIGKILL of the provider", strike: killProvider},
		{name: "SIGKILL of Terraform and the provider", strike: signal(syscall.SIGKILL)},
		{name: "SIGINT", strike: signal(syscall.SIGINT), interrupts: true},
		{name: "SIGINT, twice", strike: interruptTwice, interrupts: true},
		{name: "a gateway's pod is deleted", strike: deleteGatewayPods},
		{name: "Liqo's controllers restart", strike: restartControllers},
		{name: "liqoctl removes the network", strike: removeByLiqoctl},
	}
	if operation == "create" {
		faults = append(faults, fault{name: "two applies from two states"})
	}
	for _, leaf := range []string{"rome", "milan"} {
		away := []time.Duration{time.Second, 5 * time.Second, 20 * time.Second}[r.random.IntN(3)]
		faults = append(faults, fault{
			name: fmt.Sprintf("an API server is away for %s", away), strike: stopAPIServer(leaf, away), leaf: leaf,
		})
	}
	return faults[r.random.IntN(len(faults))]
}

// signal sends a signal to Terraform and the provider, as a terminal does.
func signal(signal syscall.Signal) func(*torture, *execution) error {
	return func(_ *torture, running *execution) error { return running.signal(signal) }
}

func interruptTwice(r *torture, running *execution) error {
	if err := running.signal(syscall.SIGINT); err != nil {
		return err
	}
	timer := time.NewTimer(time.Duration(r.random.Int64N(int64(time.Second))))
	defer timer.Stop()
	select {
	case <-timer.C:
		return running.signal(syscall.SIGINT)
	case <-running.ended:
		return nil
	}
}

// signal does nothing if all processes have ended.
func (r *execution) signal(signal syscall.Signal) error {
	select {
	case <-r.ended:
		return nil
	default:
	}
	if err := syscall.Kill(-r.command.Process.Pid, signal); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// killProvider kills the providers of Terraform, if any runs at the moment.
func killProvider(_ *torture, running *execution) error {
	return running.signalProvider(syscall.SIGKILL)
}

// signalProvider does nothing if no provider runs at the moment.
func (r *execution) signalProvider(signal syscall.Signal) error {
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

// stopAPIServer stops a cluster's API server for a while.
func stopAPIServer(leaf string, away time.Duration) func(*torture, *execution) error {
	return func(r *torture, _ *execution) error {
		if err := r.lab.try("stop-apiserver", leaf); err != nil {
			return err
		}
		timer := time.NewTimer(away)
		defer timer.Stop()
		<-timer.C
		return r.lab.try("start-apiserver", leaf)
	}
}

// deleteGatewayPods deletes the pods of both gateways, if there are any.
func deleteGatewayPods(r *torture, _ *execution) error {
	var errs []error
	for leaf, other := range map[string]string{"rome": "milan", "milan": "rome"} {
		err := r.lab.client(r.t, leaf).DeleteAllOf(r.t.Context(), &corev1.Pod{}, client.InNamespace("liqo-tenant-"+other))
		if !apierrors.IsNotFound(err) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func restartControllers(r *torture, _ *execution) error {
	return errors.Join(r.lab.try("set", "milan", "liqo=stopped"), r.lab.try("set", "milan", "liqo=running"))
}

// removeByLiqoctl removes the network of the pair, as someone does who does not know of Terraform. Liqoctl may fail,
// for example because Terraform has removed the same object.
func removeByLiqoctl(r *torture, _ *execution) error {
	output, err := exec.Command(
		liqoctlProgram, "network", "reset", "--skip-confirm", "--kubeconfig", r.lab.cluster(r.t, "rome").Kubeconfig,
		"--remote-kubeconfig", r.lab.cluster(r.t, "milan").Kubeconfig,
	).CombinedOutput()
	if err != nil {
		r.t.Logf("liqoctl: %v\n%s", err, output)
	}
	return nil
}

// compete applies the shortcut from two states at the same time. One of them must get it, and the other one an error
// and no state. At the end, nobody has it.
func (r *torture) compete() error {
	rivals := []*project{r.project, r.lab.stateIn(r.t, "rival", joining("s", "rome", "milan", ""))}
	if r.random.IntN(2) == 0 {
		rivals[1].configure(joining("s", "milan", "rome", ""))
	}
	running := []*execution{rivals[0].begin("apply", "-auto-approve"), rivals[1].begin("apply", "-auto-approve")}
	var outputs []string
	owners := 0
	for i, one := range running {
		output, err := one.wait()
		outputs = append(outputs, output)
		if err == nil {
			owners++
			continue
		}
		if !strings.Contains(unbroken(output), "exists already on leaf") {
			return fmt.Errorf("the loser has no clear error:\n%s", output)
		}
		if left := rivals[i].resources(); left != "" {
			return fmt.Errorf("the loser has %s in its state:\n%s", left, output)
		}
	}
	if owners != 1 {
		return fmt.Errorf("there are %d owners:\n%s", owners, strings.Join(outputs, "\n"))
	}
	if output, err := rivals[1].begin("destroy", "-auto-approve").wait(); err != nil {
		return fmt.Errorf("destroy of the rival: %w\n%s", err, output)
	}
	return nil
}
