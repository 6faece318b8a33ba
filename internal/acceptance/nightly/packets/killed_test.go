package packets

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccPacketsCrossAgainWhateverWriteAChangeIsKilledAfter(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	r := lab.NewRunner(t, "killed", "", lab.ReachedAsAdministrator(t, "rome", "milan"))
	p := &acctest.PacketPair{Project: r.Project, Lab: lab, Server: "milan", Provider: acctest.OverTokens}
	const before = "mtu = 1340\n" + `server_gateway = { service_type = "NodePort", node_port = 31510 }`
	p.Configure(before)
	p.Run("init")
	p.Update()
	changes := map[string]string{
		"mtu":       strings.Replace(before, "1340", "1300", 1),
		"node_port": strings.Replace(before, "31510", "31511", 1),
	}
	step := acctest.OrShort(1, 4)
	if testing.Short() {
		clear(changes)
	}
	changes["key_rotation_trigger"] = before + "\n" + `key_rotation_trigger = "KILL"`
	for name, settings := range changes {
		killed := true
		for after := step; killed; after += step {
			p.Configure(strings.Replace(settings, "KILL", strconv.Itoa(after), 1)) // each rotation needs another text
			killed = killAfter(r, after)
			alone := lab.Probe(t, "ping", "rome", p.ServerAt, "--until-answer", "--count=25", "--timeout=200ms")
			next := "goes on"
			if after/step%2 == 0 {
				next = "goes back"
				p.Configure(before)
			}
			p.Update()
			p.ComesBack()
			p.Unchanged()
			t.Logf("%s, killed after write %d: %t. Packets cross: %t. The next apply %s: packets cross", name, after, killed,
				alone.Received > 0, next)
			p.Configure(before)
			p.Update()
		}
	}
}

// killAfter applies the configuration, and kills Terraform and the provider as soon as the leaves have answered that
// many writes. No further one arrives. It reports false if the apply has fewer writes, and so has ended before.
func killAfter(r *acctest.Runner, writes int) (killed bool) {
	r.T.Helper()
	var begun, answered atomic.Int64
	enough, dead := make(chan struct{}), make(chan struct{})
	for _, way := range r.Ways {
		way.Disturb(func(w http.ResponseWriter, request *http.Request) bool {
			// No Lease, and no question about permissions.
			if request.Method == http.MethodGet || strings.Contains(request.URL.Path, "/leases") ||
				strings.Contains(request.URL.Path, "/authorization.k8s.io/") {
				return false
			}
			if begun.Add(1) > int64(writes) {
				<-dead
				panic(http.ErrAbortHandler) // the request never arrives
			}
			way.Forward.ServeHTTP(w, request)
			if answered.Add(1) == int64(writes) {
				close(enough)
			}
			return true
		})
	}
	defer func() {
		close(dead)
		for _, way := range r.Ways {
			way.Disturb(nil)
		}
	}()
	running := r.Begin("apply", "-auto-approve")
	select {
	case <-running.Ended:
		if output, err := running.Wait(); err != nil {
			r.T.Fatalf("%v\n%s", err, output)
		}
		return false
	case <-enough:
	}
	acctest.Must(r.T, running.Signal(syscall.SIGKILL))
	<-running.Ended
	r.Unlock()
	return true
}
