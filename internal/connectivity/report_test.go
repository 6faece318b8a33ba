package connectivity

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ping prints what the ping of iputils does. 10.0.0.1 answers. 10.0.0.2 does not, and two routers on the way to it do;
// the second one has no route. 10.0.0.3 answers packets of up to 1200 bytes, 10.0.0.4 the first 4 of each flow, and
// 10.0.0.5 all of a flow but the last one.
const ping = `
size=56 ttl=64 count=1 quiet=
while [ $# -gt 1 ]; do
	case $1 in
	-s) size=$2; shift ;;
	-t) ttl=$2; shift ;;
	-c) count=$2; shift ;;
	-q) quiet=yes ;;
	-i | -W | -M) shift ;;
	esac
	shift
done
answered=0
case $1 in
10.0.0.1 | 10.80.0.2 | 172.18.0.2 | 127.0.0.1) answered=$count ;;
10.0.0.2)
	[ $ttl -gt 1 ] || echo "From 172.18.0.2 icmp_seq=1 Time to live exceeded"
	[ $ttl -ne 2 ] || echo "From 10.80.0.2 icmp_seq=1 Time to live exceeded"
	[ $ttl -le 2 ] || echo "From 10.80.0.2 icmp_seq=1 Destination Net Unreachable"
	;;
10.0.0.3) [ $size -gt 1172 ] || answered=$count ;;
10.0.0.4) answered=$((count < 4 ? count : 4)) ;;
10.0.0.5) answered=$((count > 1 ? count - 1 : 1)) ;;
10.0.0.6)
	[ $size -le 1172 ] || echo >>"$0.flows"
	[ $size -gt 1172 ] && [ $(wc -l <"$0.flows") -le 2 ] || answered=$count
	;;
esac
echo "PING $1 ($1) $size($((size + 28))) bytes of data."
number=0
while [ -z "$quiet" ] && [ $number -lt $answered ]; do
	number=$((number + 1))
	echo "64 bytes from $1: icmp_seq=$number ttl=60 time=1.07 ms"
done
echo "--- $1 ping statistics ---"
echo "$count packets transmitted, $answered received, 0% packet loss, time 1842ms"
[ $answered -gt 0 ] && echo "rtt min/avg/max/mdev = 0.045/1.067/2.500/0.013 ms"
`

// pod is a pod of a test that runs on this machine.
type pod struct{ log, bin string }

func newPodOnThisMachine(t *testing.T) pod {
	t.Helper()
	p := pod{log: filepath.Join(t.TempDir(), "log"), bin: t.TempDir()}
	p.program(t, "ping", ping)
	must(t, os.WriteFile(p.log, nil, 0o600))
	return p
}

func (p pod) program(t *testing.T, name, script string) {
	t.Helper()
	content := []byte("#!/bin/sh\n" + script)
	must(t, os.WriteFile(filepath.Join(p.bin, name), content, 0o700))
}

// command returns the command of a script of the test.
func (p pod) command(t *testing.T, script string, args ...string) *exec.Cmd {
	t.Helper()
	script = strings.ReplaceAll(script, "/dev/termination-log", p.log)
	command := exec.CommandContext(t.Context(), "sh", slices.Concat([]string{"-c", script, "test"}, args)...)
	command.Env = append(os.Environ(), "PATH="+p.bin+":"+os.Getenv("PATH"))
	return command
}

func (p pod) message(t *testing.T) string {
	t.Helper()
	message, err := os.ReadFile(p.log)
	must(t, err)
	return string(message)
}

// probe runs a prober in a leaf with an overlay, and returns what it reports.
func probe(t *testing.T, packets, mtu string, pods ...string) report {
	t.Helper()
	p, args := newPodOnThisMachine(t), append([]string{packets, mtu, "172.18.0.2", "10.80.0.2"}, pods...)
	if out, err := p.command(t, pingScript+probeScript, args...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v: %s", err, out)
	}
	report, err := parseReport(p.message(t))
	must(t, err)
	return report
}

func TestAProberReportsEachPodAndHowFarPacketsGet(t *testing.T) {
	report := probe(t, "5", "1340", "10.0.0.1", "10.0.0.2", "10.0.0.3")
	good, lost, narrow := report.answers["10.0.0.1"], report.answers["10.0.0.2"], report.answers["10.0.0.3"]
	slices.SortFunc(lost.said, func(a, b said) int { return a.hops - b.hops })
	want := Latency{Min: 45 * time.Microsecond, Mean: 1067 * time.Microsecond, Max: 2500 * time.Microsecond}
	const uncounted, repeats = 4, 10
	if good.Sent != 5 || good.Answered != 5 || good.silent || good.Latency != want || good.Largest != 1340 ||
		good.pings != uncounted+5+1 {
		t.Errorf("a pod that answers: got %+v", good)
	}
	if lost.Sent != 5 || lost.Answered != 0 || lost.Largest != 0 || !lost.silent ||
		lost.pings != 3*uncounted+5+repeats ||
		!slices.Equal(lost.said, []said{{1, "172.18.0.2", false}, {2, "10.80.0.2", false}, {4, "10.80.0.2", true}}) {
		t.Errorf("a pod that does not: got %+v", lost)
	}
	if narrow.Answered != 5 || narrow.Largest != 1200 {
		t.Errorf("a pod that answers small packets: got %+v", narrow)
	}
	if report.node == nil || !report.node.lasts() {
		t.Errorf("the node: got %+v", report.node)
	}
	if report.overlay == nil || !report.overlay.lasts() || report.overlay.Largest != 1340 {
		t.Errorf("the overlay: got %+v", report.overlay)
	}
}

func TestAPodWithoutARouteReportsWhichPodsAnswer(t *testing.T) {
	p := newPodOnThisMachine(t)
	must(t, p.command(t, pingScript+lookScript, "", "10.0.0.1", "10.0.0.2").Run())
	report, err := parseReport(p.message(t))
	if err != nil || !report.answers["10.0.0.1"].lasts() || report.answers["10.0.0.2"].lasts() ||
		report.answers["10.0.0.2"].Sent != 5 {
		t.Errorf("got %s, %v", p.message(t), err)
	}
}

func TestAProberTakesWhatPassesAtTheEndForTheState(t *testing.T) {
	report := probe(t, "10", "1340", "10.0.0.4", "10.0.0.5", "10.0.0.6")
	first, good, large := report.answers["10.0.0.4"], report.answers["10.0.0.5"], report.answers["10.0.0.6"]
	if !first.silent || first.Answered != 4 || first.last != 4 || first.Largest != 0 ||
		first.when() != ", all of them at first" {
		t.Errorf("a pod that answers only the first packets: got %+v, %s", first, first.when())
	}
	if good.silent || good.Answered != 9 || good.Largest != 1340 {
		t.Errorf("a pod whose last answer is lost: got %+v", good)
	}
	if large.Largest != 1340 {
		t.Errorf("a pod whose first large answers are lost: got %+v", large)
	}
}

func TestAProberRunsThePingOfThePathAndNotTheShells(t *testing.T) {
	p := newPodOnThisMachine(t)
	const shells = "ping() { echo BusyBox; return 1; }\n"
	args := []string{"2", "1340", "172.18.0.2", "", "10.0.0.1"}
	if err := p.command(t, shells+pingScript+probeScript, args...).Run(); err != nil {
		t.Error(p.message(t))
	}
	p = newPodOnThisMachine(t)
	command := p.command(t, pingScript+probeScript, args...)
	command.Env = append(command.Env, "PATH="+t.TempDir())
	if _, err := parseReport(p.message(t)); command.Run() == nil || err == nil {
		t.Fatal("it runs without a ping")
	}
	if _, err := parseReport(p.message(t)); !strings.Contains(err.Error(), "there is no ping in /") {
		t.Errorf("got %v", err)
	}
}

func TestAProberThatReachesAllPodsAsksNobodyElse(t *testing.T) {
	if report := probe(t, "2", "1200", "10.0.0.1", "10.0.0.3"); report.overlay != nil {
		t.Errorf("got %+v", report)
	}
}

func TestAProberWithAnotherPingSaysWhy(t *testing.T) {
	p := newPodOnThisMachine(t)
	p.program(t, "ping", `echo "ping: unrecognized option: M" >&2; exit 1`)
	if err := p.command(t, pingScript+probeScript, "5", "1340", "172.18.0.2", "", "10.0.0.1").Run(); err == nil {
		t.Error("it succeeds")
	}
	if _, err := parseReport(p.message(t)); err == nil || !strings.Contains(err.Error(), "unrecognized option: M") {
		t.Errorf("got %v", err)
	}
}

func TestAReportThatIsCutOffIsNoResult(t *testing.T) {
	for _, message := range []string{
		"", "pod 10.0.0.1 5 5 5 0.1/0.2/0.3/0.1", "pod 10.0.0.1 5 x 0 -\nend", "pod 10.0.0.1 5 -5 0 -\nend", "pod\nend",
		"pod 10.0.0.1 5 5 x -\nend", "pod 10.0.0.1 5 5 5 0.1/0.2\nend", "silent 10.0.0.1 x\nend",
		"largest 10.0.0.1 1340\nend",
		"hops 10.0.0.1 x=1\nend", "hops 10.0.0.1 1\nend", "what 1 2\nend", "mtu -5\nend",
	} {
		if got, err := parseReport(message); err == nil {
			t.Errorf("%q: got %+v", message, got)
		}
	}
}

func TestAListenerTellsAtItsEndWhatItHasHeard(t *testing.T) {
	p := newPodOnThisMachine(t)
	// It is running when it sleeps.
	started := filepath.Join(p.bin, "started")
	must(t, syscall.Mkfifo(started, 0o600))
	p.program(t, "sleep", "echo >"+started+"; exec /bin/sleep \"$@\"")
	listener := p.command(t, listenScript)
	must(t, listener.Start())
	if _, err := os.ReadFile(started); err != nil {
		t.Fatal(err)
	}
	must(t, listener.Process.Signal(syscall.SIGTERM))
	must(t, listener.Wait())
	if got := parseHeard(p.message(t)); !got.told {
		t.Errorf("got %+v from %s", got, p.message(t))
	}
}

func TestWhatAListenerHasHeardIsUnknownIfItDoesNotTell(t *testing.T) {
	for message, want := range map[string]heard{
		"":                                  {},
		"Killed.":                           {},
		"Icmp: InMsgs InEchos\nIcmp: 7 5\n": {told: true, requests: 5},
		"Icmp: InMsgs InEchos\nIcmp: 7":     {},
	} {
		t.Run(message, func(t *testing.T) {
			if got := parseHeard(message); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}
