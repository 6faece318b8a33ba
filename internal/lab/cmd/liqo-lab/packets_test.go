//go:build lab

package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/probe"
)

// The tests whose names begin with TestPackets need root and /dev/net/tun and fail without them.
// Skip them with -skip on other machines.

// startReal starts a lab with a real data plane.
func startReal(t *testing.T, clusters ...string) *running {
	t.Helper()
	options := []string{"--dataplane=real"}
	for _, c := range clusters {
		options = append(options, "--cluster", c)
	}
	return startWith(t, filepath.Join(t.TempDir(), "lab"), options...)
}

// runPod starts the pod default/a of a cluster, which answers on port 80, and returns its address.
func (r *running) runPod(t *testing.T, cluster string) string {
	t.Helper()
	return r.startPod(t, cluster+"/default/a")
}

// startPod starts a pod, and returns its address.
func (r *running) startPod(t *testing.T, pod string, options ...string) string {
	t.Helper()
	out, err := command(t, append([]string{"run", pod, "--dir", r.Dir}, options...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// ping pings from the pod default/a of a cluster, and returns the output. It may fail.
func (r *running) ping(t *testing.T, cluster, target string, options ...string) probe.Result {
	t.Helper()
	return r.probeFrom(t, "ping", cluster+"/default/a", target, options...)
}

// probeFrom runs a probe from a pod, and returns its output. The probe may fail.
func (r *running) probeFrom(t *testing.T, kind, pod, target string, options ...string) probe.Result {
	t.Helper()
	cmd := command(t, append([]string{kind, pod, target, "--dir", r.Dir}, options...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var result probe.Result
	if json.Unmarshal(out, &result) != nil {
		t.Fatalf("%s from %s to %s: %v\n%s%s", kind, pod, target, err, out, &stderr)
	}
	if (result.Received > 0) != (err == nil) {
		t.Errorf("%s from %s to %s: %+v, but %v", kind, pod, target, result, err)
	}
	return result
}

// reaches waits for a first answer to a ping, and fails the test unless all later pings are
// answered. A connection is reported a moment before its last route exists. After the pod of a gateway is
// replaced, Liqo 1.0 waits 15 s for a lease, and WireGuard notices up to 15 s later.
func (r *running) reaches(t *testing.T, cluster, address string) {
	t.Helper()
	r.reachesFrom(t, cluster+"/default/a", address)
}

// reachesFrom does the same from a pod.
func (r *running) reachesFrom(t *testing.T, pod, address string) {
	t.Helper()
	result := r.probeFrom(t, "ping", pod, address, "--until-answer", "--count=600", "--timeout=200ms")
	if result.Received > 0 {
		result = r.probeFrom(t, "ping", pod, address)
	}
	if result.Lost > 0 {
		t.Errorf("%s does not reach %s: %+v", pod, address, result)
	}
}

// reachesNot fails the test if any ping is answered.
func (r *running) reachesNot(t *testing.T, cluster, address string) {
	t.Helper()
	if result := r.ping(t, cluster, address); result.Received > 0 {
		t.Errorf("%s reaches %s: %+v", cluster, address, result)
	}
}

// answersTo fails the test unless the pod default/a of one cluster answers to that of another, and
// sees it at an address.
func (r *running) answersTo(t *testing.T, cluster, address, name, source string) {
	t.Helper()
	r.answers(t, cluster+"/default/a", address, name, source)
}

// answers fails the test unless a pod is answered at an address by the pod of a name, which sees it at a source.
func (r *running) answers(t *testing.T, pod, address, name, source string) {
	t.Helper()
	if answer := r.answer(t, pod, address); answer["name"] != name || answer["source"] != source {
		t.Errorf("%s is answered %v at %s, want the name %s and the source %s", pod, answer, address, name, source)
	}
}

// answer returns what a pod is answered at an address, or nothing.
func (r *running) answer(t *testing.T, pod, address string) map[string]any {
	t.Helper()
	answer, _ := r.probeFrom(t, "http", pod, "http://"+address).Answer.(map[string]any) // nil if there is none
	return answer
}

// joinLeaves connects two clusters with liqoctl, which waits until the tunnel works.
func joinLeaves(t *testing.T, rome, milan labdir.Cluster, service string) {
	t.Helper()
	liqoctl(t, "network", "connect", "--gw-server-service-type", service, "--wait",
		"--kubeconfig", rome.Kubeconfig, "--remote-kubeconfig", milan.Kubeconfig)
}

// partLeaves removes everything that joinLeaves has created.
func partLeaves(t *testing.T, rome, milan labdir.Cluster) {
	t.Helper()
	liqoctl(t, "network", "reset", "--skip-confirm",
		"--kubeconfig", rome.Kubeconfig, "--remote-kubeconfig", milan.Kubeconfig)
}

// remapped returns where the other cluster reaches an address of the pod network 10.200.0.0/16,
// which Liqo has remapped.
func remapped(address string) string { return strings.Replace(address, "10.200.", "10.71.", 1) }

func TestPacketsCrossBetweenLeavesWithTheSamePodNetwork(t *testing.T) {
	lab := startReal(t, "rome=10.200.0.0/16", "milan=10.200.0.0/16")
	rome, milan := lab.Clusters[0], lab.Clusters[1]
	inRome, inMilan := lab.runPod(t, "rome"), lab.runPod(t, "milan")
	atMilan, atRome := remapped(inRome), remapped(inMilan) // where each is seen by the other

	t.Run("no packet crosses before they are joined", func(t *testing.T) {
		lab.reachesNot(t, "rome", atRome)
		lab.reachesNot(t, "milan", atMilan)
	})

	joinLeaves(t, rome, milan, "NodePort")
	t.Run("pods of both reach each other where Liqo moved them to", func(t *testing.T) {
		lab.reaches(t, "rome", atRome)
		lab.reaches(t, "milan", atMilan)
		lab.answersTo(t, "rome", atRome, "milan/default/a", atMilan)
	})

	t.Run("the connection has a latency that was measured", func(t *testing.T) {
		for _, c := range []labdir.Cluster{rome, milan} {
			waitFor(t, c, &networkingv1beta1.Connection{}, func(conn *networkingv1beta1.Connection) bool {
				return conn.Status.Value == networkingv1beta1.Connected && conn.Status.Latency.Value != ""
			})
		}
	})

	t.Run("a packet that is too large for the tunnel is refused", func(t *testing.T) {
		result := lab.ping(t, "rome", atRome, "--size=1400", "--df")
		if result.Received > 0 || !strings.Contains(strings.Join(result.Errors, " "), "at most 1340 bytes") {
			t.Errorf("got %+v", result)
		}
	})

	t.Run("a slow link makes the way longer", func(t *testing.T) {
		lab.run(t, "link", "rome", "milan", "--delay=50ms")
		if result := lab.ping(t, "rome", atRome); result.Lost > 0 || result.Min < 100 {
			t.Errorf("got %+v", result)
		}
	})

	t.Run("a cut link is an error at both ends, and recovers", func(t *testing.T) {
		lab.run(t, "link", "rome", "milan", "--up", "--loss=100%")
		lab.reachesNot(t, "rome", atRome)
		awaitStatus(t, rome, networkingv1beta1.ConnectionError)
		awaitStatus(t, milan, networkingv1beta1.ConnectionError)
		lab.run(t, "link", "milan", "rome", "--up")
		awaitStatus(t, rome, networkingv1beta1.Connected)
		awaitStatus(t, milan, networkingv1beta1.Connected)
		lab.reaches(t, "rome", atRome)
	})

	t.Run("no packet crosses when they are parted, and the next network works like the first", func(t *testing.T) {
		partLeaves(t, rome, milan)
		lab.reachesNot(t, "rome", atRome)
		joinLeaves(t, milan, rome, "LoadBalancer")
		lab.reaches(t, "rome", atRome)
		lab.answersTo(t, "milan", atMilan, "rome/default/a", atRome)
	})
	if t.Failed() {
		t.Log(lab.stderr)
	}
	lab.run(t, "down")
	gone(t, lab.Dir)
}

// renewNAT gives the NAT another address, and returns what the command says.
func (r *running) renewNAT(t *testing.T) string {
	t.Helper()
	out, err := command(t, "renew-nat", "--dir", r.Dir).Output()
	if err != nil {
		t.Fatalf("liqo-lab renew-nat: %v", err)
	}
	return string(out)
}

func TestPacketsCrossBetweenLeavesWithDifferentPodNetworksAndNotBetweenLabs(t *testing.T) {
	lab, other := startReal(t, "rome=10.202.0.0/16", "milan=10.203.0.0/16"), startReal(t, "rome=10.202.0.0/16")
	rome, milan := lab.Clusters[0], lab.Clusters[1]
	inRome, inMilan := lab.runPod(t, "rome"), lab.runPod(t, "milan")
	other.runPod(t, "rome")

	joinLeaves(t, rome, milan, "NodePort")
	lab.reaches(t, "rome", inMilan)
	lab.reaches(t, "milan", inRome)
	lab.answersTo(t, "rome", inMilan, "milan/default/a", inRome)

	for name, address := range map[string]string{"node": milan.NodeIP, "NAT": milan.NATIP} {
		t.Run("a "+name+" is reached in its own lab only", func(t *testing.T) {
			lab.reaches(t, "rome", address)
			other.reachesNot(t, "rome", address)
		})
	}
	t.Run("a node is reached through a NAT that gets another address", func(t *testing.T) {
		if first, second := lab.renewNAT(t), lab.renewNAT(t); first == second {
			t.Errorf("the NAT gets %s twice", first)
		}
		lab.reaches(t, "rome", milan.NATIP)
	})
	t.Run("the other lab leaves nothing when it is killed, and this one goes on", func(t *testing.T) {
		if err := other.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if out, err := command(t, "down", "--dir", other.Dir).CombinedOutput(); err != nil {
			t.Errorf("down: %v\n%s", err, out)
		}
		gone(t, other.Dir)
		lab.reaches(t, "rome", inMilan)
	})
	lab.run(t, "down")
	gone(t, lab.Dir)
}

func TestPingsInALabWithASimulatedDataPlaneFailWithTheReason(t *testing.T) {
	lab := start(t, filepath.Join(t.TempDir(), "lab"), "rome=10.200.0.0/16,no-liqo")
	for _, args := range [][]string{{"ping", "rome/default/a", "10.200.0.10"}, {"link", "rome", "rome"}} {
		out, err := command(t, append(args, "--dir", lab.Dir)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "--dataplane=real") {
			t.Errorf("liqo-lab %v: %v\n%s", args, err, out)
		}
	}
}
