package end

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// probes returns the commands of the liveness probes of a gateway's containers, by their names.
func probes(t *testing.T, made parts) map[string]string {
	t.Helper()
	commands := map[string]string{}
	for _, container := range made.Deployment.Spec.Template.Spec.Containers {
		if probe := container.LivenessProbe; probe != nil {
			if probe.Exec == nil || len(probe.Exec.Command) != 3 || probe.FailureThreshold != 3 || probe.TimeoutSeconds != 5 {
				t.Fatalf("%s has the probe %+v", container.Name, probe)
			}
			commands[container.Name] = probe.Exec.Command[2]
		}
	}
	return commands
}

func TestAContainerIsRestartedThatOneOfTheOthersWaitsFor(t *testing.T) {
	eachChart(t, func(t *testing.T, template string, _ []string) {
		t.Helper()
		before, after := derivedParts(t, template, liqo.PodSettings{Replicas: 2})
		if found := probes(t, before); len(found) > 0 {
			t.Fatalf("the template has %v", found)
		}
		found := probes(t, after)
		const follower = "! test -S /ipc/leader.sock || http_proxy= wget -q -T 2 -O /dev/null http://127.0.0.1:8083/healthz"
		if found["wireguard"] != follower || found["geneve"] != follower {
			t.Errorf("wireguard and geneve have %q", found)
		}
		if found["gateway"] != "test -S /ipc/leader.sock || { "+
			"http_proxy= wget -q -T 2 -O /dev/null http://127.0.0.1:8085/healthz && "+
			"http_proxy= wget -q -T 2 -O /dev/null http://127.0.0.1:8087/healthz; }" {
			t.Errorf("gateway has %q", found["gateway"])
		}
		for _, container := range after.Deployment.Spec.Template.Spec.Containers {
			leads, start := container.Name == "gateway", container.StartupProbe
			if leads != (container.LivenessProbe.PeriodSeconds == 5) {
				t.Errorf("%s is asked every %d s", container.Name, container.LivenessProbe.PeriodSeconds)
			}
			starts := found["gateway"]
			if !leads { // it may have begun to wait before there is a leader
				_, starts, _ = strings.Cut(follower, " || ")
			}
			if start == nil || start.Exec.Command[2] != starts || start.PeriodSeconds != 1 || start.FailureThreshold != 600 {
				t.Errorf("%s starts by %+v", container.Name, start)
			}
		}
	})
}

func TestNoProbeIsAddedWhereATemplateHasItsOwnOrDoesNotSayEnough(t *testing.T) {
	gateway := func(change func(d derivedDeployment)) map[string]string {
		template := chartTemplate(t, "v1.2.0-server")
		d, err := deploymentIn(fieldsOf(template.Object["spec"]))
		must(t, err)
		change(d)
		template.Object["spec"], err = derive(fieldsOf(template.Object["spec"]), liqo.PodSettings{Replicas: 2})
		must(t, err)
		return probes(t, rendered(t, template))
	}
	without := func(container map[string]any, flag string) {
		container["args"] = slices.DeleteFunc(argsOf(container), func(arg any) bool { return isFlag(arg, flag) })
	}
	for name, change := range map[string]func(d derivedDeployment){
		"nobody is awaited":         func(d derivedDeployment) { without(d.containers[0], awaitedFlag) },
		"a leader without a port":   func(d derivedDeployment) { without(d.containers[0], healthFlag) },
		"a follower without a port": func(d derivedDeployment) { without(d.containers[2], healthFlag) },
	} {
		t.Run(name, func(t *testing.T) {
			if found := gateway(change); len(found) > 0 {
				t.Error(found)
			}
		})
	}
	own := map[string]any{
		"exec":             map[string]any{"command": []any{"/bin/sh", "-c", "mine"}},
		"failureThreshold": int64(3), "timeoutSeconds": int64(5),
	}
	found := gateway(func(d derivedDeployment) { d.containers[1]["livenessProbe"] = own })
	if found["wireguard"] != "mine" || len(found) != 3 {
		t.Errorf("with one of its own: %v", found)
	}
	container := map[string]any{"startupProbe": own}
	setProbes(container, nil, own)
	if !reflect.DeepEqual(container, map[string]any{"startupProbe": own, "livenessProbe": own}) {
		t.Errorf("with one of its own for its start: %v", container)
	}
}
