package packets

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// killedChange is a shortcut on real packets whose changes are killed. Terraform reaches the leaves through proxies.
type killedChange struct {
	*acctest.PacketPair

	ways map[string]*clustertest.Proxy // keyed by the leaf
}

func TestAccPacketsCrossAgainWhateverWriteAChangeIsKilledAfter(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	r := lab.NewRunner(t, "killed", "", lab.ReachedAsAdministrator(t, "rome", "milan"))
	k := &killedChange{
		PacketPair: &acctest.PacketPair{
			Project:  r.Project,
			Lab:      lab,
			Server:   "milan",
			Provider: acctest.OverTokens,
		}, ways: r.Ways,
	}
	acctest.DestroyAtLast(k.Project)
	const before = "mtu = 1340\n" + `server_gateway = { service_type = "NodePort", node_port = 31510 }`
	k.Configure(before)
	k.Run("init")
	k.Update()
	changes := map[string]string{
		"mtu":       strings.Replace(before, "1340", "1300", 1),
		"node_port": strings.Replace(before, "31510", "31511", 1),
	}
	step := 1
	if testing.Short() {
		clear(changes)
		step = 4
	}
	changes["key_rotation"] = before + "\n" + `key_rotation = "%d"`
	for name, settings := range changes {
		for after := step; k.survives(name, before, rotatedAfter(settings, after), after, after/step%2 == 0); after += step {
		}
	}
}

// survives kills a change after that many writes, and lets the next apply go on, or go back to the settings before. It
// reports false if the change has fewer writes. At the end, the settings are those before.
func (k *killedChange) survives(name, before, settings string, writes int, goesBack bool) bool {
	k.T.Helper()
	k.Configure(settings)
	ended := k.applyUntil(int32(writes)) //nolint:gosec // there are few writes
	alone := k.Lab.Probe(k.T, "ping", "rome", k.ServerAt, "--until-answer", "--count=25", "--timeout=200ms")
	next := "goes on"
	if goesBack {
		next = "goes back"
		k.Configure(before)
	}
	k.Update()
	k.ComesBack()
	k.Run("plan", "-detailed-exitcode") // nothing is left to change
	if ended {
		k.T.Logf("%s: the change has less than %d writes", name, writes)
	} else {
		k.T.Logf("%s, killed after write %d: packets cross: %t. The next apply %s: packets cross", name, writes,
			alone.Received > 0, next)
	}
	k.Configure(before)
	k.Update()
	return !ended
}

// rotatedAfter puts the number of a kill into settings that rotate keys, because each rotation needs another text.
func rotatedAfter(settings string, after int) string {
	if strings.Contains(settings, "%d") {
		return fmt.Sprintf(settings, after)
	}
	return settings
}

// applyUntil applies the configuration, and kills Terraform and the provider as soon as the leaves have answered that
// many writes. No further one arrives. It reports whether the apply has ended before.
func (k *killedChange) applyUntil(writes int32) (ended bool) {
	k.T.Helper()
	var begun, answered atomic.Int32
	enough, dead := make(chan struct{}), make(chan struct{})
	for _, way := range k.ways {
		way.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
			if !writesNetwork(r) {
				return false
			}
			if begun.Add(1) > writes {
				<-dead
				panic(http.ErrAbortHandler) // the request never arrives
			}
			way.Forward.ServeHTTP(w, r)
			if answered.Add(1) == writes {
				close(enough)
			}
			return true
		})
	}
	defer func() {
		close(dead)
		for _, way := range k.ways {
			way.Disturb(nil)
		}
	}()
	running := k.Begin("apply", "-auto-approve")
	select {
	case <-running.Ended:
		if output, err := running.Wait(); err != nil {
			k.T.Fatalf("%v\n%s", err, output)
		}
		return true
	case <-enough:
	}
	if err := running.Signal(syscall.SIGKILL); err != nil {
		k.T.Fatal(err)
	}
	_, _ = running.Wait()
	k.Unlock()
	return false
}

// writesNetwork reports whether a request changes an object of a network: no Lease, and no question about permissions.
func writesNetwork(r *http.Request) bool {
	return r.Method != http.MethodGet && !strings.Contains(r.URL.Path, "/leases") &&
		!strings.Contains(r.URL.Path, "/authorization.k8s.io/")
}
