package liqo

import (
	"slices"
	"strings"
	"testing"

	"github.com/liqotech/liqo/apis/networking/v1beta1/firewall"
)

// limited has all kinds of rules.
var limited = Limits{
	In: []Rule{
		{Protocol: TCP, Port: 5432, CIDRs: []string{"10.203.4.0/24", "10.203.5.0/24"}},
		{Protocol: UDP, Port: 5000, EndPort: 5010},
		{Protocol: ICMP},
	},
	Out: []Rule{{Protocol: TCP, Port: 443}, {Protocol: ICMP}},
	Own: []string{"10.203.0.0/16"}, Other: []string{"10.202.0.0/16"}, Nodes: "10.70.0.0",
}

func TestATableLetsThatCrossWhichIsAllowed(t *testing.T) {
	chains := limited.Table("t").Chains
	nobody := Limits{Own: limited.Own, Other: limited.Other, Nodes: limited.Nodes}.Table("t").Chains
	for name, test := range map[string]struct{ got, expected []string }{
		"new connections to what is allowed keep their destination": {natText(chains[0]), []string{
			"in liqo-tunnel, src 169.254.18.0/30, dst 169.254.18.0/30 -> 169.254.18.0/30",
			"in liqo-tunnel, dst 10.203.4.0/24, tcp, dst port 5432 -> 10.203.4.0/24",
			"in liqo-tunnel, dst 10.203.5.0/24, tcp, dst port 5432 -> 10.203.5.0/24",
			"in liqo-tunnel, dst 10.203.0.0/16, udp, dst port 5000-5010 -> 10.203.0.0/16",
		}},
		"all other protocols with ports are denied": {natText(chains[1]), []string{
			"in liqo-tunnel, tcp -> 0.0.0.0", "in liqo-tunnel, udp -> 0.0.0.0",
		}},
		"pings are allowed only after that": {natText(chains[2]), []string{
			"in liqo-tunnel, dst 10.203.0.0/16, src port 2048 -> 10.203.0.0/16",
		}},
		"every other new connection leads nowhere": {natText(chains[3]), []string{"in liqo-tunnel -> 0.0.0.0"}},
		"also if nothing is allowed":               {natText(nobody[3]), []string{"in liqo-tunnel -> 0.0.0.0"}},
		"what leads nowhere is dropped":            {filterText(chains[4]), []string{"in liqo-tunnel, dst 0.0.0.0: drop"}},
		"without any rule nothing passes": {
			filterText(nobody[5]), []string{"in liqo-tunnel: drop", "out liqo-tunnel: drop"},
		},
		"packets that no rule knows are dropped in both directions": {filterText(chains[5]), []string{
			"in liqo-tunnel, dst not 10.203.0.0/16, dst not 10.70.0.0: drop",
			"in liqo-tunnel, dst 10.203.4.0/24, tcp, dst port 5432: accept",
			"in liqo-tunnel, dst 10.203.5.0/24, tcp, dst port 5432: accept",
			"in liqo-tunnel, dst 10.203.0.0/16, udp, dst port 5000-5010: accept",
			"in liqo-tunnel, src 10.202.0.0/16, tcp, src port 443: accept",
			"in liqo-tunnel, tcp: drop", "in liqo-tunnel, udp: drop",
			"in liqo-tunnel, dst 10.203.0.0/16, src port 2048: accept",
			"in liqo-tunnel, src 10.202.0.0/16, src port 0: accept",
			"in liqo-tunnel, src port 768-783: accept", "in liqo-tunnel, src port 2816-2817: accept",
			"in liqo-tunnel, src port 3072-3074: accept", "in liqo-tunnel: drop",

			"out liqo-tunnel, dst 10.202.0.0/16, tcp, dst port 443: accept",
			"out liqo-tunnel, src 10.203.4.0/24, tcp, src port 5432: accept",
			"out liqo-tunnel, src 10.203.5.0/24, tcp, src port 5432: accept",
			"out liqo-tunnel, src 10.203.0.0/16, udp, src port 5000-5010: accept",
			"out liqo-tunnel, tcp: drop", "out liqo-tunnel, udp: drop",
			"out liqo-tunnel, dst 10.202.0.0/16, src port 2048: accept",
			"out liqo-tunnel, src 10.203.0.0/16, src port 0: accept",
			"out liqo-tunnel, src port 768-783: accept", "out liqo-tunnel, src port 2816-2817: accept",
			"out liqo-tunnel, src port 3072-3074: accept", "out liqo-tunnel: drop",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if !slices.Equal(test.got, test.expected) {
				t.Errorf("got\n%s", strings.Join(test.got, "\n"))
			}
		})
	}
}

func TestTheRulesAreAskedBeforeAddressesOfPodsAreTranslatedAndPacketsAreDroppedAfterIt(t *testing.T) {
	for name, limits := range map[string]Limits{"rules": limited, "none": {}} {
		t.Run(name, func(t *testing.T) {
			chains := limits.Table("t").Chains
			for i, chain := range chains[:4] {
				if *chain.Priority != firewall.ChainPriority(-104+i) || *chain.Priority >= firewall.ChainPriorityNATDest {
					t.Errorf("chain %s comes at %d", *chain.Name, *chain.Priority)
				}
			}
			if last := chains[4]; *last.Hook != firewall.ChainHookPrerouting ||
				*last.Priority <= firewall.ChainPriorityNATDest {
				t.Errorf("it drops packets at %s, %d", *last.Hook, *last.Priority)
			}
		})
	}
}

func TestLiqoWritesAnOrderedChainAnewAndKeepsTheOthersRules(t *testing.T) {
	more := limited
	more.In = append(slices.Clone(limited.In), Rule{Protocol: TCP, Port: 80})
	before, after := limited.Table("t").Chains, more.Table("t").Chains
	for i, rule := range before[0].Rules.NatRules {
		if *rule.Name != *after[0].Rules.NatRules[i].Name {
			t.Errorf("rule %d has another name, so Liqo removes it for a moment", i)
		}
	}
	if *before[3].Rules.NatRules[0].Name != *after[3].Rules.NatRules[0].Name {
		t.Error("Liqo would remove for a moment what denies everything")
	}
	for _, old := range before[5].Rules.FilterRules {
		if slices.ContainsFunc(after[5].Rules.FilterRules, func(r firewall.FilterRule) bool { return *r.Name == *old.Name }) {
			t.Errorf("rule %s keeps its name, so Liqo adds the new rules after it", *old.Name)
		}
	}
}

func TestAnotherTableHasAnotherVersion(t *testing.T) {
	const digest = "2779307e10638bd6"
	if got := Digest(limited.Table("t")); TableVersion != 1 || got != digest {
		t.Errorf("the table of version %d has the digest %s. If it is another one than before for the same limits, raise "+
			"TableVersion, so that other versions of the provider do not take it for edited.", TableVersion, got)
	}
}

func TestARuleTwiceIsWrittenOnce(t *testing.T) {
	twice := Limits{In: []Rule{{Protocol: TCP, Port: 80}, {Protocol: TCP, Port: 80, CIDRs: []string{"10.1.0.0/16"}}},
		Own: []string{"10.1.0.0/16"}}
	if got := natText(twice.Table("t").Chains[0]); len(got) != 2 {
		t.Errorf("got %v", got)
	}
}

func natText(chain firewall.Chain) []string {
	var texts []string
	for _, rule := range chain.Rules.NatRules {
		texts = append(texts, matchText(rule.Match)+" -> "+*rule.To)
	}
	return texts
}

func filterText(chain firewall.Chain) []string {
	var texts []string
	for _, rule := range chain.Rules.FilterRules {
		texts = append(texts, matchText(rule.Match)+": "+string(rule.Action))
	}
	return texts
}

func matchText(matches []firewall.Match) string {
	var texts []string
	for _, match := range matches {
		switch {
		case match.Dev != nil:
			texts = append(texts, string(match.Dev.Position)+" "+match.Dev.Value)
		case match.IP != nil:
			not := map[firewall.MatchOperation]string{firewall.MatchOperationNeq: "not "}[match.Op]
			texts = append(texts, string(match.IP.Position)+" "+not+match.IP.Value)
		case match.Proto != nil:
			texts = append(texts, string(match.Proto.Value))
		case match.Port != nil:
			texts = append(texts, string(match.Port.Position)+" port "+match.Port.Value)
		}
	}
	return strings.Join(texts, ", ")
}

func TestTheRulesOfATableAreCounted(t *testing.T) {
	if got := limited.TableRules(); got != 4+2+1+1+1+1+12+12 {
		t.Errorf("got %d", got)
	}
}
