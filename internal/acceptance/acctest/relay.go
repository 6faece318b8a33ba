package acctest

import (
	"bufio"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// Relay passes on the connections to a leaf's API server.
type Relay struct {
	Address string // host and port, here

	in  io.Writer
	out *bufio.Reader
}

// NewRelay starts the lab's relay, which ends with the test.
func NewRelay(t *testing.T, host string, seed int64) *Relay {
	t.Helper()
	to, err := url.Parse(host)
	Must(t, err)
	command := exec.Command(LabProgram, "relay", to.Host, "--seed", strconv.FormatInt(seed, 10))
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	Must(t, err)
	out, err := command.StdoutPipe()
	Must(t, err)
	Must(t, command.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = command.Wait()
	})
	r := &Relay{in: in, out: bufio.NewReader(out)}
	r.Address = strings.TrimSpace(r.line(t))
	return r
}

// Become changes the conditions of all connections, and returns once they hold.
func (r *Relay) Become(t *testing.T, conditions string) {
	t.Helper()
	_, err := fmt.Fprintln(r.in, conditions)
	Must(t, err)
	r.line(t)
}

func (r *Relay) line(t *testing.T) string {
	t.Helper()
	line, err := r.out.ReadString('\n')
	if err != nil {
		t.Fatal("the relay has ended: ", err)
	}
	return line
}
