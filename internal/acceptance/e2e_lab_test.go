package acceptance

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The tests whose names begin with TestAccPackets need root and /dev/net/tun, and fail without them. A machine that
// does not have both leaves them out with -skip.

// plane has the options of a lab with real packets and three clusters. Europe and Rome have the same pod CIDR.
var plane = []string{
	"--dataplane=real", "--cluster=europe=10.202.0.0/16", "--cluster=rome=10.202.0.0/16", "--cluster=milan=10.203.0.0/16",
}

// realLab is a lab with Liqo's own gateways. Each cluster has a pod default/a that answers pings, and HTTP on port 80.
type realLab struct {
	*Lab
	pods map[string]string // their addresses, by the name of the cluster
}

// borrowRealLab lends a lab with real packets, as borrowLab does. It repairs the links when the test ends.
func borrowRealLab(t *testing.T) *realLab {
	t.Helper()
	return borrowRealLabOf(t, plane)
}

// borrowRealLabOf does the same with a lab that is started with other options.
func borrowRealLabOf(t *testing.T, options []string) *realLab {
	t.Helper()
	lab := withPods(t, borrowLabOf(t, options))
	var err error
	if lab.before, err = lab.inventory(t.Context()); err != nil {
		t.Fatal(err)
	}
	return lab
}

// withPods starts the pods of a lab with real packets.
func withPods(t *testing.T, l *Lab) *realLab {
	t.Helper()
	lab := &realLab{l, map[string]string{}}
	for _, c := range lab.Clusters {
		lab.pods[c.Name] = lab.runPod(t, c.Name)
	}
	return lab
}

// runPod starts the pod default/a of a cluster, unless an earlier test has, and returns its address.
func (l *realLab) runPod(t *testing.T, cluster string) string {
	t.Helper()
	address, err := output(labProgram, "run", cluster+"/default/a", "--dir", l.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// link returns a function that changes the link between two clusters. It repairs the link when the test ends.
func (l *realLab) link(t *testing.T, a, b string) func(flags ...string) {
	t.Helper()
	t.Cleanup(func() { l.command(t, "link", a, b, "--up") })
	return func(flags ...string) {
		t.Helper()
		l.command(t, append([]string{"link", a, b}, flags...)...)
	}
}

// probeResult is what `liqo-lab ping`, `liqo-lab http` and `liqo-lab flow` print. Times are in milliseconds.
type probeResult struct {
	Sent     int      `json:"sent"`
	Received int      `json:"received"`
	Lost     int      `json:"lost"`
	Min      float64  `json:"min"`
	Average  float64  `json:"average"`
	Max      float64  `json:"max"`
	Silence  float64  `json:"silence"` // the longest without an answer
	Broken   bool     `json:"broken"`  // a flow got no answer in its last minute
	Errors   []string `json:"errors"`
	Answer   struct {
		Name   string `json:"name"`   // of the pod that answers
		Source string `json:"source"` // the address that it sees
	} `json:"answer"`
}

// probe asks an address or a URL from the pod default/a of a cluster. There may be no answer.
func (l *realLab) probe(t *testing.T, kind, cluster, target string, options ...string) probeResult {
	t.Helper()
	return l.startProbe(t, kind, cluster, target, options...)()
}

// startProbe runs a probe in the background. The function that it returns waits for the result. With a signal, it ends
// the probe first.
func (l *realLab) startProbe(
	t *testing.T, kind, cluster, target string, options ...string,
) func(end ...os.Signal) probeResult {
	t.Helper()
	return l.start(t, kind, cluster, target, options).end
}

// startPings does the same with pings. The channel is closed when the first one is answered.
func (l *realLab) startPings(
	t *testing.T, cluster, target string, options ...string,
) (end func(...os.Signal) probeResult, answered <-chan struct{}) {
	t.Helper()
	p := l.start(t, "ping", cluster, target, append(options, "--announce"))
	return p.end, p.messages.first
}

func (l *realLab) start(t *testing.T, kind, cluster, target string, options []string) *runningProbe {
	t.Helper()
	args := append([]string{kind, cluster + "/default/a", target, "--dir", l.Dir}, options...)
	p := &runningProbe{
		t: t, command: exec.CommandContext(context.WithoutCancel(t.Context()), labProgram, args...),
		messages: messages{first: make(chan struct{})},
	}
	p.command.Stdout, p.command.Stderr = &p.out, &p.messages
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.command.Process.Kill() }) // where the test fails before it ends the probe
	return p
}

// runningProbe is a probe in the background.
type runningProbe struct {
	t        *testing.T
	command  *exec.Cmd
	out      strings.Builder
	messages messages
}

// messages are what a program says. The channel is closed at the first message.
type messages struct {
	strings.Builder

	first chan struct{}
}

// Write implements [io.Writer].
func (m *messages) Write(p []byte) (int, error) {
	if m.Len() == 0 {
		close(m.first)
	}
	return m.Builder.Write(p)
}

// end waits for the result of a probe. With a signal, it ends the probe first.
func (p *runningProbe) end(signals ...os.Signal) probeResult {
	p.t.Helper()
	for _, signal := range signals {
		if err := p.command.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			p.t.Error(err)
		}
	}
	err := p.command.Wait() // it fails if there was no answer
	var result probeResult
	if json.Unmarshal([]byte(p.out.String()), &result) != nil {
		p.t.Fatalf("liqo-lab %s: %v\n%s%s", strings.Join(p.command.Args[1:], " "), err, &p.out, &p.messages)
	}
	return result
}

// reaches fails the test unless every ping from a cluster's pod is answered, from the first on.
func (l *realLab) reaches(t *testing.T, cluster, address string) {
	t.Helper()
	if result := l.probe(t, "ping", cluster, address, "--timeout=5s"); result.Lost > 0 {
		t.Errorf("%s does not reach %s: %+v", cluster, address, result)
	}
}

// reachesSoon returns when a ping from a cluster's pod is answered, and fails the test if none is before long.
func (l *realLab) reachesSoon(t *testing.T, cluster, address string) {
	t.Helper()
	result := l.probe(t, "ping", cluster, address, "--until-answer", "--count=300", "--timeout=200ms")
	if result.Received == 0 {
		t.Errorf("%s does not reach %s: %+v", cluster, address, result)
	}
}

// reachesNot fails the test if any ping from a cluster's pod is answered.
func (l *realLab) reachesNot(t *testing.T, cluster, address string) {
	t.Helper()
	if result := l.probe(t, "ping", cluster, address, "--timeout=500ms"); result.Received > 0 {
		t.Errorf("%s reaches %s: %+v", cluster, address, result)
	}
}

// answers fails the test unless the pod of another cluster answers HTTP requests and sees this source address.
func (l *realLab) answers(t *testing.T, cluster, address, other, source string) {
	t.Helper()
	result := l.probe(t, "http", cluster, "http://"+address, "--count=1", "--timeout=5s")
	if result.Answer.Name != other+"/default/a" || result.Answer.Source != source {
		t.Errorf("%s is answered %+v, expected %s and the source %s", address, result, other, source)
	}
}

// gatewayPod is the pod of a cluster's only gateway.
func (l *realLab) gatewayPod(t *testing.T, cluster string) *corev1.Pod {
	t.Helper()
	var pods corev1.PodList
	err := l.administrator(t, cluster).List(
		t.Context(), &pods, client.MatchingLabels{"networking.liqo.io/component": "gateway"},
	)
	if err != nil || len(pods.Items) != 1 {
		t.Fatalf("%d pods of gateways run on %s (%v)", len(pods.Items), cluster, err)
	}
	return &pods.Items[0]
}
