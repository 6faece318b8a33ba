package acctest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Plane has the options of a lab with real packets and three clusters. Europe and Rome have the same pod CIDR.
var Plane = []string{
	"--dataplane=real", "--cluster=europe=10.202.0.0/16", "--cluster=rome=10.202.0.0/16", "--cluster=milan=10.203.0.0/16",
}

// TwoNodes has the options of a lab with real packets and room for a standby at each end.
var TwoNodes = []string{
	"--dataplane=real", "--cluster=rome=10.202.0.0/16,nodes=2", "--cluster=milan=10.203.0.0/16,nodes=2",
}

// RealLab is a lab with Liqo's own gateways. Each cluster has a pod default/a that answers pings, and HTTP on port 80.
type RealLab struct {
	*Lab
	Pods map[string]string // their addresses, by the name of the cluster
}

// BorrowReal lends a lab with real packets, as [Borrow] does.
func BorrowReal(t *testing.T, options []string) *RealLab {
	t.Helper()
	lab := WithPods(t, Borrow(t, options))
	lab.before = lab.Inventory(t)
	return lab
}

// WithPods starts the pods of a lab with real packets, on the first node of each cluster, unless an earlier test has.
func WithPods(t *testing.T, l *Lab) *RealLab {
	t.Helper()
	lab := &RealLab{l, map[string]string{}}
	for _, c := range lab.Clusters {
		lab.Pods[c.Name] = l.Output(t, "run", c.Name+"/default/a", "--node", c.Name+"-node")
	}
	return lab
}

// Link returns a function that changes the link between two clusters. It repairs the link when the test ends.
func (l *RealLab) Link(t *testing.T, a, b string) func(flags ...string) {
	t.Helper()
	t.Cleanup(func() { l.Command(t, "link", a, b, "--up") })
	return func(flags ...string) {
		t.Helper()
		l.Command(t, append([]string{"link", a, b}, flags...)...)
	}
}

// ProbeResult is what `liqo-lab ping`, `http`, `udp` and `flow` print. Times are in milliseconds.
type ProbeResult struct {
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

// Ending waits for the result of a probe in the background. With a signal, it ends the probe first.
type Ending = func(end ...os.Signal) ProbeResult

// Probe asks an address or a URL from the pod default/a of a cluster. There may be no answer.
func (l *RealLab) Probe(t *testing.T, kind, cluster, target string, options ...string) ProbeResult {
	t.Helper()
	return l.StartProbe(t, kind, cluster, target, options...)()
}

// StartProbe runs a probe in the background.
func (l *RealLab) StartProbe(t *testing.T, kind, cluster, target string, options ...string) Ending {
	t.Helper()
	end, _ := l.start(t, kind, cluster, target, options)
	return end
}

// StartFlow sends packets of one flow in the background, ten a second, and returns when the first one is answered. Once
// it is to end, a flow has a time of grace to be answered once more.
func (l *RealLab) StartFlow(t *testing.T, protocol, cluster, target, grace string) Ending {
	t.Helper()
	return l.startAnswered(t, "flow", cluster, target,
		"--protocol="+protocol, "--interval=100ms", "--grace="+grace, "--stop-on-stdin-eof")
}

// startAnswered is like StartProbe, for a probe that says when it gets its first answer. It waits for that.
func (l *RealLab) startAnswered(t *testing.T, kind, cluster, target string, options ...string) Ending {
	t.Helper()
	end, answered := l.start(t, kind, cluster, target, options)
	select {
	case <-answered:
	case <-time.After(TimeToHappen):
		t.Fatalf("%s from %s to %s gets no answer", kind, cluster, target)
	}
	return end
}

// start runs a probe in the background. The channel is closed when it says something.
func (l *RealLab) start(
	t *testing.T, kind, cluster, target string, options []string,
) (end Ending, says <-chan struct{}) {
	t.Helper()
	args := append([]string{kind, cluster + "/default/a", target, "--dir", l.Dir}, options...)
	command := exec.CommandContext(context.WithoutCancel(t.Context()), LabProgram, args...)
	var out strings.Builder
	said := &messages{first: make(chan struct{})}
	command.Stdout, command.Stderr = &out, said
	_, err := command.StdinPipe() // is open as long as this program runs
	if err == nil {
		err = command.Start()
	}
	Must(t, err)
	t.Cleanup(func() { _ = command.Process.Kill() }) // where the test fails before it ends the probe
	return func(signals ...os.Signal) (result ProbeResult) {
		t.Helper()
		for _, signal := range signals {
			if err := command.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Error(err)
			}
		}
		err := command.Wait() // it fails if there was no answer
		if json.Unmarshal([]byte(out.String()), &result) != nil {
			t.Fatalf("liqo-lab %s: %v\n%s%s", strings.Join(args, " "), err, &out, said)
		}
		return result
	}, said.first
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

// Reaches fails the test unless every ping from a cluster's pod is answered, from the first on.
func (l *RealLab) Reaches(t *testing.T, cluster, address string) {
	t.Helper()
	if result := l.Probe(t, "ping", cluster, address, "--timeout=5s"); result.Lost > 0 {
		t.Errorf("%s does not reach %s: %+v", cluster, address, result)
	}
}

// ReachesSoon returns when a ping from a cluster's pod is answered, and fails the test if none is before long.
func (l *RealLab) ReachesSoon(t *testing.T, cluster, address string) {
	t.Helper()
	result := l.Probe(t, "ping", cluster, address, "--until-answer", "--count=300", "--timeout=200ms")
	if result.Received == 0 {
		t.Errorf("%s does not reach %s: %+v", cluster, address, result)
	}
}

// ReachesNot fails the test if any ping from a cluster's pod is answered.
func (l *RealLab) ReachesNot(t *testing.T, cluster, address string) {
	t.Helper()
	if result := l.Probe(t, "ping", cluster, address, "--timeout=500ms"); result.Received > 0 {
		t.Errorf("%s reaches %s: %+v", cluster, address, result)
	}
}

// Answers fails the test unless the pod of another cluster answers HTTP requests and sees this source address.
func (l *RealLab) Answers(t *testing.T, cluster, address, other, source string) {
	t.Helper()
	result := l.Probe(t, "http", cluster, "http://"+address, "--count=1", "--timeout=5s")
	if result.Answer.Name != other+"/default/a" || result.Answer.Source != source {
		t.Errorf("%s is answered %+v, expected %s and the source %s", address, result, other, source)
	}
}

// Fastest asks an address or a URL several times from a cluster's pod, and returns the shortest time until an answer,
// in milliseconds. The average would also show how busy the machine is. It fails the test unless every answer comes,
// from a pod whose name begins so, if that is not empty.
func (l *RealLab) Fastest(t *testing.T, kind, cluster, target string, times int, pod string) float64 {
	t.Helper()
	result := l.Probe(t, kind, cluster, target, fmt.Sprintf("--count=%d", times), "--interval=20ms", "--timeout=5s")
	if result.Lost > 0 || !strings.HasPrefix(result.Answer.Name, pod) {
		t.Fatalf("%s does not always answer from %q: %+v", target, pod, result)
	}
	return result.Min
}

// GetsAnswer returns the first answer to HTTP requests from a cluster's pod, and fails the test if none comes before
// long.
func (l *RealLab) GetsAnswer(t *testing.T, cluster, address string) ProbeResult {
	t.Helper()
	result := l.Probe(t, "http", cluster, "http://"+address, "--until-answer", "--count=300", "--timeout=300ms")
	if result.Received == 0 {
		t.Errorf("%s does not answer %s: %+v", address, cluster, result)
	}
	return result
}

// Halves returns the half of a cluster's pod CIDR that has the address of its pod default/a, and the other half.
func (l *RealLab) Halves(t *testing.T, cluster string) (with, without string) {
	t.Helper()
	whole, err := netip.ParsePrefix(l.Cluster(t, cluster).PodCIDR)
	Must(t, err)
	pod, err := netip.ParseAddr(l.Pods[cluster])
	Must(t, err)
	half := netip.PrefixFrom(pod, whole.Bits()+1).Masked()
	bytes := half.Addr().As4()
	bytes[whole.Bits()/8] ^= 1 << (7 - whole.Bits()%8) // the bit in which the halves differ
	return half.String(), netip.PrefixFrom(netip.AddrFrom4(bytes), half.Bits()).String()
}
