package torture

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// fault is something that goes wrong while Terraform works.
type fault struct {
	name       string
	strike     func(*torture, *acctest.Execution) error // nil if another state competes for the shortcut
	leaf       string                                   // whose API server is away; an error must name it
	interrupts bool                                     // as a user does, so that Terraform ends soon
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
		away := []time.Duration{time.Second, 5 * time.Second, 20 * time.Second}[r.random.Below(3)]
		faults = append(faults, fault{
			name: fmt.Sprintf("an API server is away for %s", away), strike: stopAPIServer(leaf, away), leaf: leaf,
		})
	}
	return faults[r.random.Below(len(faults))]
}

// signal sends a signal to Terraform and the provider, as a terminal does.
func signal(signal syscall.Signal) func(*torture, *acctest.Execution) error {
	return func(_ *torture, running *acctest.Execution) error { return running.Signal(signal) }
}

func interruptTwice(r *torture, running *acctest.Execution) error {
	if err := running.Signal(syscall.SIGINT); err != nil {
		return err
	}
	timer := time.NewTimer(r.random.Within(time.Second))
	defer timer.Stop()
	select {
	case <-timer.C:
		return running.Signal(syscall.SIGINT)
	case <-running.Ended:
		return nil
	}
}

// killProvider kills the providers of Terraform, if any runs at the moment.
func killProvider(_ *torture, running *acctest.Execution) error {
	return running.SignalProvider(syscall.SIGKILL)
}

// stopAPIServer stops a cluster's API server for a while.
func stopAPIServer(leaf string, away time.Duration) func(*torture, *acctest.Execution) error {
	return func(r *torture, _ *acctest.Execution) error {
		if err := r.lab.Try("stop-apiserver", leaf); err != nil {
			return err
		}
		pause(away)
		return r.lab.Try("start-apiserver", leaf)
	}
}

// deleteGatewayPods deletes the pods of both gateways, if there are any.
func deleteGatewayPods(r *torture, _ *acctest.Execution) error {
	var errs []error
	for leaf, other := range map[string]string{"rome": "milan", "milan": "rome"} {
		err := r.lab.Client(r.t, leaf).DeleteAllOf(r.t.Context(), &corev1.Pod{}, client.InNamespace("liqo-tenant-"+other))
		if !apierrors.IsNotFound(err) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func restartControllers(r *torture, _ *acctest.Execution) error {
	return errors.Join(r.lab.Try("set", "milan", "liqo=stopped"), r.lab.Try("set", "milan", "liqo=running"))
}

// removeByLiqoctl removes the network of the pair, as someone does who does not know of Terraform. Liqoctl may fail,
// for example because Terraform has removed the same object.
func removeByLiqoctl(r *torture, _ *acctest.Execution) error {
	output, err := exec.Command(
		acctest.LiqoctlProgram, "network", "reset", "--skip-confirm", "--kubeconfig", r.lab.Cluster(r.t, "rome").Kubeconfig,
		"--remote-kubeconfig", r.lab.Cluster(r.t, "milan").Kubeconfig).CombinedOutput()
	if err != nil {
		r.t.Logf("liqoctl: %v\n%s", err, output)
	}
	return nil
}

// compete applies the shortcut from two states at the same time. One of them must get it, and the other one an error
// and no state. At the end, nobody has it.
func (r *torture) compete() error {
	rivals := []*acctest.Project{r.project, r.lab.StateIn(r.t, "rival", acctest.Joining("s", "rome", "milan", ""))}
	if r.random.Below(2) == 0 {
		rivals[1].Configure(acctest.Joining("s", "milan", "rome", ""))
	}
	running := []*acctest.Execution{rivals[0].Begin("apply", "-auto-approve"), rivals[1].Begin("apply", "-auto-approve")}
	var outputs []string
	owners := 0
	for i, one := range running {
		output, err := one.Wait()
		outputs = append(outputs, output)
		if err == nil {
			owners++
			continue
		}
		if !strings.Contains(acctest.Unbroken(output), "exists already on leaf") {
			return fmt.Errorf("the loser has no clear error:\n%s", output)
		}
		if left := rivals[i].Resources(); left != "" {
			return fmt.Errorf("the loser has %s in its state:\n%s", left, output)
		}
	}
	if owners != 1 {
		return fmt.Errorf("there are %d owners:\n%s", owners, strings.Join(outputs, "\n"))
	}
	if output, err := rivals[1].Begin("destroy", "-auto-approve").Wait(); err != nil {
		return fmt.Errorf("destroy of the rival: %w\n%s", err, output)
	}
	return nil
}
