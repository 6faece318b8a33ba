package acceptance

import (
	"bufio"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// conditions are the state of the network to a leaf's API server, as `liqo-lab relay` takes it.
type conditions struct {
	Delay  time.Duration `json:"delay"`  // of everything, each way
	Stalls int           `json:"stalls"` // one piece of so many comes 3 seconds later; 0 for none
	Cuts   int           `json:"cuts"`   // one piece of so many is lost with its connection; 0 for none
}

func TestAccTortureByABadNetworkEndsWithAllOrNothing(t *testing.T) {
	lab := borrowLab(t)
	seed := numberFrom(t, tortureSeed, time.Now().UnixNano())
	t.Logf("%s=%d", tortureSeed, seed)
	leaves := lab.reachedAsAdministrator(t, "rome", "milan")
	between := newRelay(t, leaves["milan"].Host, seed)
	bad := leaves["milan"]
	bad.Host = "https://" + between.address
	leaves["milan"] = bad
	v := newVictim(t, lab, leaves, seed)
	for _, one := range someOf([]struct {
		name string
		conditions
	}{
		{"200 ms each way", conditions{Delay: 200 * time.Millisecond}},
		{"stalled for 3 s at random", conditions{Stalls: 40}},
		{"cut at random", conditions{Delay: 20 * time.Millisecond, Cuts: 60}},
	}, 1, newDice(seed)) {
		t.Run(one.name, func(t *testing.T) {
			v.survives(t, one.name, func() { between.become(t, one.conditions) }, func() { between.become(t, conditions{}) })
		})
	}
}

// relay passes on the connections to a leaf's API server.
type relay struct {
	address string // host and port, here

	in  io.Writer
	out *bufio.Reader
}

// newRelay starts the lab's relay, which ends with the test.
func newRelay(t *testing.T, host string, seed int64) *relay {
	t.Helper()
	to, err := url.Parse(host)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(labProgram, "relay", to.Host, "--seed", strconv.FormatInt(seed, 10))
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = command.Wait()
	})
	r := &relay{in: in, out: bufio.NewReader(out)}
	r.address = strings.TrimSpace(r.line(t))
	return r
}

// become changes the network. It returns once the change holds.
func (r *relay) become(t *testing.T, now conditions) {
	t.Helper()
	if err := json.NewEncoder(r.in).Encode(now); err != nil {
		t.Fatal(err)
	}
	r.line(t)
}

// line reads a line from the relay.
func (r *relay) line(t *testing.T) string {
	t.Helper()
	line, err := r.out.ReadString('\n')
	if err != nil {
		t.Fatal("the relay has ended: ", err)
	}
	return line
}
