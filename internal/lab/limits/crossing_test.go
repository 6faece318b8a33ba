//go:build lab

package limits

import (
	"net"
	"slices"
	"testing"

	"github.com/google/nftables"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestPacketsAtAGatewayCrossForNodesAsForPods(t *testing.T) {
	p := newPair(t)
	p.limit(nil, database(liqo.TCP))
	from := func(address string) func(*net.Dialer) {
		return func(dialer *net.Dialer) { dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(address)} }
	}
	if p.ask(liqo.TCP, p.rome, p.milan, milansPodAtRome+":5432", from(romesNodes)) == nil {
		t.Error("a node of Rome does not reach Milan's database")
	}
	if p.ask(liqo.TCP, p.rome, p.milan, milansPodAtRome+":5433", from(romesNodes)) != nil {
		t.Error("a node of Rome reaches another port of Milan")
	}
	if p.ask(liqo.TCP, p.milan, p.rome, romesPod+":5432", from(milansNodes)) != nil {
		t.Error("a node of Milan reaches Rome")
	}
}

// Liqo compares the rules of the kernel with those of the table, and writes those again that it takes for others.
func TestPacketsAtAGatewayMeetTheSameRulesWhenLiqoLooksAgain(t *testing.T) {
	p := newPair(t)
	rules := []liqo.Rule{{}, {Protocol: liqo.ICMP}, {Protocol: liqo.TCP, Port: 80, EndPort: 90}}
	handles := func() (all []uint64) {
		conn := p.atRome.controller.NftConnection
		chains, err := conn.ListChainsOfTableFamily(nftables.TableFamilyIPv4)
		p.atRome.must(err)
		for _, chain := range chains {
			in, err := conn.GetRules(chain.Table, chain)
			p.atRome.must(err)
			for _, rule := range in {
				all = append(all, rule.Handle)
			}
		}
		return all
	}
	p.atRome.limit(atRome(rules, rules))
	before := handles()
	p.atRome.limit(atRome(rules, rules))
	if after := handles(); len(before) == 0 || !slices.Equal(before, after) {
		t.Errorf("the kernel had the rules %v, and has now %v", before, after)
	}
}
