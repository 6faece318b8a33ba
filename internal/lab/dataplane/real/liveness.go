package real

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/process"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
)

// shell are the folders of the machine that the command of a probe needs in a gateway's sandbox: with a shell, with
// programs beside it, and with their libraries. Liqo's programs are in another one.
var shell = []string{"/bin", "/lib", "/lib64"}

// keepAlive ends the program of a container when as many probes in a row have failed as their threshold says: those of
// its start, if it has any, until one of them succeeds, and then those of its liveness. The program then starts again.
// A program that starts again by itself is probed anew. It returns when the program ends for good, and at once if the
// container has no liveness probe that is a command: that is the only kind that the lab knows.
func (l *leaf) keepAlive(in *sandbox.Sandbox, p *process.Process, start, liveness *corev1.Probe) {
	if liveness == nil || liveness.Exec == nil {
		return
	}
	if start == nil {
		start = liveness
	}
	for {
		restarts, probe, pause := p.Restarts(), start, start.InitialDelaySeconds
		for failures := int32(0); failures < probe.FailureThreshold; {
			select {
			case <-p.Done():
				return
			case <-time.After(seconds(pause)):
			}
			switch {
			case restarts != p.Restarts():
				restarts, probe, failures = p.Restarts(), start, 0
			case l.succeeds(in, probe):
				probe, failures = liveness, 0
			default:
				failures++
			}
			pause = probe.PeriodSeconds
		}
		p.Kill()
	}
}

// succeeds runs the command of a probe in a gateway's sandbox.
func (l *leaf) succeeds(in *sandbox.Sandbox, probe *corev1.Probe) bool {
	ctx, cancel := context.WithTimeout(context.Background(), seconds(probe.TimeoutSeconds))
	defer cancel()
	enter := append([]string{"enter", strconv.Itoa(in.PID)}, probe.Exec.Command...)
	command := exec.CommandContext(ctx, l.plane.helper, enter...)
	command.Env = append(os.Environ(), "PATH="+toolsDir+":/bin")
	return command.Run() == nil
}

func seconds(number int32) time.Duration { return time.Duration(number) * time.Second }
