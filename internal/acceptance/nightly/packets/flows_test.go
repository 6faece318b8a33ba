package packets

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// flowRounds is the environment variable that says how many changes of each kind flows go through.
const flowRounds = "FLOW_ROUNDS"

// flowFigures are what became of the flows of one protocol and direction in changes of one kind.
type flowFigures struct {
	flows, broken int
	silences      []float64 // the longest of each flow without an answer, in milliseconds
}

// A ping has a fresh ID, and so is a new flow for every router between. What a router decides about the first packet of
// a flow holds for the others, so a flow can be cut off while new ones pass.
func TestAccPacketsOfAFlowUnderWayCrossAgainAfterAChange(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	var standard int64 = 10
	if testing.Short() {
		standard = 1
	}
	rounds := acctest.NumberFrom(t, flowRounds, standard)
	const settings = `
		mtu            = %d
		key_rotation   = "%d"
		server_gateway = { service_type = "NodePort", node_port = %d, port = %d }`
	values := []any{1340, 0, 31510, 51840}
	p := lab.Join(t, "milan", fmt.Sprintf(settings, values...))
	for i, change := range []struct {
		name string
		next func(round int) int
	}{
		{"mtu", func(round int) int { return 1340 - 10*(round%2) }},
		{"key_rotation", func(round int) int { return round }},
		{"node_port", func(round int) int { return 31510 + round%2 }},
		{"port", func(round int) int { return 51840 + round%2 }},
	} {
		figures := map[string]*flowFigures{}
		for round := range int(rounds) {
			values[i] = change.next(round + 1)
			p.Configure(fmt.Sprintf(settings, values...))
			flowsThrough(p, figures, "60s", func() { p.Run("apply", "-auto-approve") })
		}
		for _, flow := range slices.Sorted(maps.Keys(figures)) {
			of := figures[flow]
			slices.Sort(of.silences)
			t.Logf("%s, %s: %d of %d flows broken after 60 s; no answer for %.1f s, and at most %.1f s", change.name, flow,
				of.broken, of.flows, of.silences[len(of.silences)/2]/1000, of.silences[len(of.silences)-1]/1000)
			if of.broken > 0 {
				t.Errorf("%s: flows of %s are broken", change.name, flow)
			}
		}
	}
}

// flowsThrough sends ten packets a second on a flow of each protocol in each direction while something happens, and
// adds what became of them. A flow is broken if it has no answer in the grace after that.
func flowsThrough(p *acctest.PacketPair, figures map[string]*flowFigures, grace string, happens func()) {
	p.T.Helper()
	ends := map[string]func(end ...os.Signal) acctest.ProbeResult{}
	for _, protocol := range []string{"icmp", "udp", "tcp"} {
		for from, to := range map[string]string{"rome": p.ServerAt, p.Server: p.RomeAt} {
			ends[protocol+" from "+from] = p.Lab.StartFlow(p.T, protocol, from, to, grace)
		}
	}
	happens()
	for flow, end := range ends {
		result := end(os.Interrupt)
		if figures[flow] == nil {
			figures[flow] = &flowFigures{}
		}
		of := figures[flow]
		of.flows++
		of.silences = append(of.silences, result.Silence)
		if result.Broken || result.Received == 0 {
			of.broken++
			p.T.Logf("%s: %+v", flow, result)
		}
	}
}
