package packets

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// limited lets the flows of the tests begin in both directions, and nothing else cross. No rule has an answer begin a
// connection: the ports from which they ask are in none.
const limited = `
	allow = [
	  { to = "server", protocol = "TCP", port = 80 }, { to = "client", protocol = "TCP", port = 80 },
	  { to = "server", protocol = "UDP", port = 80 }, { to = "client", protocol = "UDP", port = 80 },
	  { to = "server", protocol = "ICMP" }, { to = "client", protocol = "ICMP" },
	]`

// A ping has a fresh ID, and so is a new flow for every router between. What a router decides about the first packet of
// a flow holds for the others, so a flow can be cut off while new ones pass.
func TestAccPacketsOfAFlowUnderWayCrossAgainAfterAChange(t *testing.T) {
	rounds := int(acctest.NumberFrom(t, "FLOW_ROUNDS", acctest.OrShort[int64](10, 1))) // changes of each kind
	withAndWithoutAllow(t, func(t *testing.T, allow string) {
		t.Helper()
		flowsCrossAgain(t, allow, rounds)
	})
}

// withAndWithoutAllow runs a test on a shortcut that is open, and on one that is limited. In a short test, it is one of
// both.
func withAndWithoutAllow(t *testing.T, test func(t *testing.T, allow string)) {
	t.Helper()
	for _, allow := range acctest.SomeOf([]string{"", limited}, 1, acctest.NewDice(t)) {
		t.Run(fmt.Sprintf("allow=%t", allow != ""), func(t *testing.T) { test(t, allow) })
	}
}

// flowsCrossAgain changes settings of a shortcut, and logs for how long its flows get no answer.
func flowsCrossAgain(t *testing.T, allow string, rounds int) {
	t.Helper()
	lab := acctest.BorrowReal(t, acctest.Plane)
	const settings = `
		mtu            = %d
		key_rotation_trigger   = "%d"
		server_gateway = { service_type = "NodePort", node_port = %d, port = %d }
		%s`
	values := []any{1340, 0, 31510, 51840, allow}
	p := lab.Join(t, "milan", fmt.Sprintf(settings, values...))
	for i, change := range []struct {
		name string
		next func(round int) int
	}{
		{"mtu", func(round int) int { return 1340 - 10*(round%2) }},
		{"key_rotation_trigger", func(round int) int { return round }},
		{"node_port", func(round int) int { return 31510 + round%2 }},
		{"port", func(round int) int { return 51840 + round%2 }},
	} {
		silences := map[string][]float64{} // the longest of each flow without an answer, in milliseconds
		for round := range rounds {
			values[i] = change.next(round + 1)
			p.Configure(fmt.Sprintf(settings, values...))
			for flow, result := range flowsThrough(p, "60s", func() { p.Run("apply", "-auto-approve") }) {
				silences[flow] = append(silences[flow], result.Silence)
				if result.Broken {
					t.Errorf("%s: a flow of %s is broken after 60 s: %+v", change.name, flow, result)
				}
			}
		}
		for _, flow := range slices.Sorted(maps.Keys(silences)) {
			of := slices.Sorted(slices.Values(silences[flow]))
			t.Logf("%s, %s: no answer to one of %d flows for %.1f s, and at most %.1f s", change.name, flow, len(of),
				of[len(of)/2]/1000, of[len(of)-1]/1000)
		}
	}
}

// flowsThrough sends ten packets a second on a flow of each protocol in each direction while something happens, and
// returns what became of them, by protocol and direction. A flow is broken if it has no answer in the grace after that.
func flowsThrough(p *acctest.PacketPair, grace string, happens func()) map[string]acctest.ProbeResult {
	p.T.Helper()
	ends, results := map[string]acctest.Ending{}, map[string]acctest.ProbeResult{}
	for _, protocol := range []string{"icmp", "udp", "tcp"} {
		for from, to := range map[string]string{"rome": p.ServerAt, p.Server: p.RomeAt} {
			ends[protocol+" from "+from] = p.Lab.StartFlow(p.T, protocol, from, to, grace)
		}
	}
	happens()
	for flow, end := range ends {
		result := end(os.Interrupt)
		result.Broken = result.Broken || result.Received == 0
		results[flow] = result
	}
	return results
}
