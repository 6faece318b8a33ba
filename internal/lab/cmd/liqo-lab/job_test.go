//go:build lab

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/liqotech/liqo/pkg/gateway"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// unprivileged is the user of jobs.
const unprivileged = 65532

// newJob returns a pod without rights that runs a script. The script's arguments begin with $1.
func newJob(name, script string, args ...string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			SecurityContext: &corev1.PodSecurityContext{
				RunAsUser: new(int64(unprivileged)), RunAsGroup: new(int64(unprivileged)),
				Sysctls: []corev1.Sysctl{{Name: "net.ipv4.ping_group_range", Value: "0 2147483647"}},
			},
			Containers: []corev1.Container{{
				Name: "job", Image: "any", Command: append([]string{"sh", "-c", script, "sh"}, args...),
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: new(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
			}},
		},
	}
}

// runJob runs a pod until it has ended, and returns its phase and the termination message.
func runJob(t *testing.T, c labdir.Cluster, pod *corev1.Pod) (corev1.PodPhase, string) {
	t.Helper()
	if err := connect(t, c).Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	var phase corev1.PodPhase
	var message string
	waitFor(t, c, &corev1.Pod{}, func(p *corev1.Pod) bool {
		if p.Name != pod.Name || p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed {
			return false
		}
		phase, message = p.Status.Phase, p.Status.ContainerStatuses[0].State.Terminated.Message
		return true
	})
	return phase, message
}

// lastMessage deletes a running pod, and returns the termination message of the last event of a watch before the pod is
// gone.
func lastMessage(t *testing.T, c labdir.Cluster, pod *corev1.Pod, grace int64) string {
	t.Helper()
	in := connect(t, c)
	if err := in.Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	waitFor(t, c, &corev1.Pod{}, func(p *corev1.Pod) bool {
		return p.Name == pod.Name && p.Status.Phase == corev1.PodRunning
	})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	events, err := in.Watch(ctx, &corev1.PodList{}, client.InNamespace(pod.Namespace), client.MatchingFields{
		"metadata.name": pod.Name,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	if err := in.Delete(t.Context(), pod, client.GracePeriodSeconds(grace)); err != nil {
		t.Fatal(err)
	}
	message := ""
	for event := range events.ResultChan() {
		seen, ok := event.Object.(*corev1.Pod)
		if event.Type == watch.Deleted {
			return message
		}
		if !ok {
			t.Fatalf("the watch has failed: %v", event.Object)
		}
		for _, container := range seen.Status.ContainerStatuses {
			if end := container.State.Terminated; end != nil {
				message = fmt.Sprint(end.ExitCode, " ", end.Message)
			}
		}
	}
	t.Fatal("the watch has ended")
	return ""
}

// pinging is a script that pings an address, in the way of a test of a connection.
const pinging = `ping -n -q -c 3 -i 0.2 -W 1 "$1" > /dev/termination-log`

// counts are the counts of a ping, and whether there are times.
var counts = regexp.MustCompile(`(?m)^(\d+ packets transmitted, \d+ received)\n(rtt min/avg/max)?`)

func TestPacketsOfCommandsCrossAndFaultsStopThem(t *testing.T) {
	lab := startWith(t, filepath.Join(t.TempDir(), "lab"), "--dataplane=real", "--metrics",
		"--cluster", "rome=10.200.0.0/16", "--cluster", "milan=10.200.0.0/16")
	rome, milan := lab.Clusters[0], lab.Clusters[1]
	lab.runPod(t, "rome")
	atRome := remapped(lab.runPod(t, "milan"))
	joinLeaves(t, rome, milan, "NodePort")
	lab.reaches(t, "rome", atRome)

	t.Run("a command of an unprivileged user pings the other leaf", func(t *testing.T) {
		phase, message := runJob(t, rome, newJob("ping", pinging, atRome))
		want := []string{"3 packets transmitted, 3 received", "rtt min/avg/max"}
		got := counts.FindStringSubmatch(message)
		if phase != corev1.PodSucceeded || got == nil || !slices.Equal(got[1:], want) {
			t.Errorf("%s: %q", phase, message)
		}
	})
	t.Run("a command sees its own user, processes and network, and can't change the machine", func(t *testing.T) {
		phase, message := runJob(t, rome, newJob("look",
			`{ id -u; echo $$$$; ls -d /proc/[0-9]*; ls /root /etc/passwd; echo > /usr/x; echo > /dev/null
			echo > /tmp/x && echo written; ls /sys/class/net /proc/sys/net/ipv4/conf; } > /dev/termination-log 2>&1; exit 3`))
		for _, want := range []string{fmt.Sprintln(unprivileged) + "1\n/proc/1\n", "\nwritten\n", "\neth0\n", "ead-only"} {
			if phase != corev1.PodFailed || !strings.Contains(message, want) {
				t.Errorf("%s: there is no %q in %q", phase, want, message)
			}
		}
		if strings.Contains(message, "root:") || strings.Contains(message, "/root/") {
			t.Errorf("it sees files of the machine: %q", message)
		}
	})
	t.Run("a deleted command says its last word before its pod is gone", func(t *testing.T) {
		script := `trap 'echo bye > /dev/termination-log; exit 0' TERM; sleep 3600 & wait`
		if got := lastMessage(t, rome, newJob("bye", script), 5); got != "0 bye\n" {
			t.Errorf("got %q", got)
		}
		deaf := newJob("deaf", `echo deaf > /dev/termination-log; sleep 3600`)
		if got := lastMessage(t, rome, deaf, 1); got != "137 deaf\n" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("a command that is added to a running pod shares its network, and says what it has seen", func(t *testing.T) {
		pod, in := newJob("stays", "sleep 3600"), connect(t, rome)
		if err := in.Create(t.Context(), pod); err != nil {
			t.Fatal(err)
		}
		waitFor(t, rome, &corev1.Pod{}, func(p *corev1.Pod) bool {
			return p.Name == pod.Name && p.Status.Phase == corev1.PodRunning
		})
		before, common := pod.DeepCopy(), pod.Spec.Containers[0]
		pod.Spec.EphemeralContainers = []corev1.EphemeralContainer{{
			EphemeralContainerCommon: corev1.EphemeralContainerCommon{
				Name: "added", Image: common.Image, Command: []string{"sh", "-c", pinging, "sh", atRome},
				SecurityContext: common.SecurityContext,
			},
		}}
		err := in.SubResource("ephemeralcontainers").Patch(t.Context(), pod, client.StrategicMergeFrom(before))
		if err != nil {
			t.Fatal(err)
		}
		waitFor(t, rome, &corev1.Pod{}, func(p *corev1.Pod) bool {
			if p.Name != pod.Name || len(p.Status.EphemeralContainerStatuses) == 0 {
				return false
			}
			end := p.Status.EphemeralContainerStatuses[0].State.Terminated
			return end != nil && strings.Contains(end.Message, "3 received") && p.Status.Phase == corev1.PodRunning
		})
	})
	t.Run("a gateway serves its metrics to a pod", func(t *testing.T) {
		var pods corev1.PodList
		gateways := client.MatchingLabels{gateway.GatewayComponentKey: gateway.GatewayComponentGateway}
		if err := connect(t, rome).List(t.Context(), &pods, gateways); err != nil || len(pods.Items) != 1 {
			t.Fatalf("%d pods of gateways, %v", len(pods.Items), err)
		}
		phase, message := runJob(t, rome, newJob("curl",
			`curl -s -m 5 "http://$1:8084/metrics" | grep ^liqo_peer_receive_bytes_total > /dev/termination-log`,
			pods.Items[0].Status.PodIP))
		if phase != corev1.PodSucceeded || !strings.Contains(message, `cluster_id="milan"`) {
			t.Errorf("%s: %q", phase, message)
		}
	})
	lab.testFaults(t, atRome)
	lab.listensHere(t)
	if t.Failed() {
		t.Log(lab.stderr)
	}
	lab.run(t, "down")
	gone(t, lab.Dir)
}

// testFaults makes faults on the way from the pod default/a of Rome to an address, and mends them.
func (r *running) testFaults(t *testing.T, to string) {
	t.Helper()
	out, err := command(t, "where", "rome/default/a", "--dir", r.Dir).Output()
	var in place
	if err != nil || json.Unmarshal(out, &in) != nil || in.Device == "" {
		t.Fatalf("the pod is at %s, %v", out, err)
	}
	large := []string{"--size=1000"}
	for name, test := range map[string]struct {
		fault  []string
		passes []string // options of a ping that passes, or nil
		fails  []string // options of one that fails
	}{
		"large packets are dropped": {
			[]string{"drop", "rome/rome-node", "--protocol=icmp", "--larger=500", "--to=10.71.0.0/16"}, []string{}, large,
		},
		"fragments are dropped": {
			[]string{"drop", "milan/milan-node", "--fragments"}, large, []string{"--size=3000"},
		},
		"a pod's packets are dropped": {[]string{"drop", "rome/rome-node", "--in=" + in.Device}, nil, nil},
		"a node has no route":         {[]string{"unroute", "rome/rome-node", "10.71.0.0/16"}, nil, nil},
		"nothing arrives from the gateways, not even ARP": {
			[]string{"drop", "rome/rome-node", "--hook=ingress", "--in=liqo.*"}, nil, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r.run(t, test.fault...)
			if result := r.ping(t, "rome", to, test.fails...); result.Received > 0 {
				t.Errorf("%s is reached: %+v", to, result)
			}
			if test.passes != nil {
				if result := r.ping(t, "rome", to, test.passes...); result.Lost > 0 {
					t.Errorf("%s is not reached: %+v", to, result)
				}
			}
			r.run(t, "mend", test.fault[1])
			r.reaches(t, "rome", to)
			if result := r.ping(t, "rome", to, test.fails...); result.Lost > 0 {
				t.Errorf("mended, %s is not reached: %+v", to, result)
			}
		})
	}
}
