package liqo

import (
	"slices"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
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
	Own: []string{"10.203.0.0/16"}, Other: []string{"10.202.0.0/16"},
}

func TestNewConnectionsToWhatIsAllowedKeepTheirDestination(t *testing.T) {
	allowed := limited.Table("t").Chains[0]
	expected := []string{
		"in liqo-tunnel, src 169.254.18.0/30, dst 169.254.18.0/30 -> 169.254.18.0/30",
		"in liqo-tunnel, dst 10.203.4.0/24, tcp, dst port 5432 -> 10.203.4.0/24",
		"in liqo-tunnel, dst 10.203.5.0/24, tcp, dst port 5432 -> 10.203.5.0/24",
		"in liqo-tunnel, dst 10.203.0.0/16, udp, dst port 5000-5010 -> 10.203.0.0/16",
	}
	if got := natText(allowed); !slices.Equal(got, expected) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

func TestEveryOtherNewConnectionLeadsNowhere(t *testing.T) {
	for name, limits := range map[string]Limits{"rules": limited, "none": {}} {
		chains := limits.Table("t").Chains
		if got := natText(chains[3]); !slices.Equal(got, []string{"in liqo-tunnel -> 0.0.0.1"}) {
			t.Errorf("%s: the last chain has %v", name, got)
		}
		for i, chain := range chains[:4] {
			if *chain.Priority != firewall.ChainPriority(-104+i) || *chain.Priority >= firewall.ChainPriorityNATDest {
				t.Errorf("%s: chain %s comes at %d", name, *chain.Name, *chain.Priority)
			}
		}
	}
}

func TestPingsAreAllowedOnlyAfterAllOtherProtocolsWithPortsAreDenied(t *testing.T) {
	chains := limited.Table("t").Chains
	if got := natText(chains[1]); !slices.Equal(got, []string{
		"in liqo-tunnel, tcp -> 0.0.0.1", "in liqo-tunnel, udp -> 0.0.0.1",
	}) {
		t.Errorf("got %v", got)
	}
	if got := natText(chains[2]); !slices.Equal(got, []string{
		"in liqo-tunnel, dst 10.203.0.0/16, src port 2048 -> 10.203.0.0/16",
	}) {
		t.Errorf("got %v", got)
	}
}

func TestPacketsThatNoRuleKnowsAreDroppedInBothDirections(t *testing.T) {
	chain := limited.Table("t").Chains[4]
	expected := []string{
		"in liqo-tunnel, dst 10.203.4.0/24, tcp, dst port 5432: accept",
		"in liqo-tunnel, dst 10.203.5.0/24, tcp, dst port 5432: accept",
		"in liqo-tunnel, dst 10.203.0.0/16, udp, dst port 5000-5010: accept",
		"in liqo-tunnel, src 10.202.0.0/16, tcp, src port 443: accept",
		"in liqo-tunnel, tcp: drop", "in liqo-tunnel, udp: drop",
		"in liqo-tunnel, dst 10.203.0.0/16, src port 2048: accept",
		"in liqo-tunnel, src 10.202.0.0/16, src port 0: accept",
		"in liqo-tunnel, src port 2048: drop", "in liqo-tunnel, src port 0: drop",

		"out liqo-tunnel, dst 10.202.0.0/16, tcp, dst port 443: accept",
		"out liqo-tunnel, src 10.203.4.0/24, tcp, src port 5432: accept",
		"out liqo-tunnel, src 10.203.5.0/24, tcp, src port 5432: accept",
		"out liqo-tunnel, src 10.203.0.0/16, udp, src port 5000-5010: accept",
		"out liqo-tunnel, tcp: drop", "out liqo-tunnel, udp: drop",
		"out liqo-tunnel, dst 10.202.0.0/16, src port 2048: accept",
		"out liqo-tunnel, src 10.203.0.0/16, src port 0: accept",
		"out liqo-tunnel, src port 2048: drop", "out liqo-tunnel, src port 0: drop",
	}
	if got := filterText(chain); !slices.Equal(got, expected) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
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
	for _, old := range before[4].Rules.FilterRules {
		if slices.ContainsFunc(after[4].Rules.FilterRules, func(r firewall.FilterRule) bool { return *r.Name == *old.Name }) {
			t.Errorf("rule %s keeps its name, so Liqo adds the new rules after it", *old.Name)
		}
	}
}

func TestARuleTwiceIsWrittenOnce(t *testing.T) {
	twice := Limits{In: []Rule{{Protocol: TCP, Port: 80}, {Protocol: TCP, Port: 80, CIDRs: []string{"10.1.0.0/16"}}},
		Own: []string{"10.1.0.0/16"}}
	if got := natText(twice.Table("t").Chains[0]); len(got) != 2 {
		t.Errorf("got %v", got)
	}
}

func TestLimitsAreReadBackUnlessSomeoneHasEditedTheirRules(t *testing.T) {
	for name, test := range map[string]struct {
		edit  func(*networkingv1beta1.FirewallConfiguration)
		found bool
	}{
		"as written": {func(*networkingv1beta1.FirewallConfiguration) {}, true},
		"another port": {func(f *networkingv1beta1.FirewallConfiguration) {
			f.Spec.Table.Chains[4].Rules.FilterRules[0].Match[3].Port.Value = "1-65535"
		}, false},
		"a chain less": {func(f *networkingv1beta1.FirewallConfiguration) {
			f.Spec.Table.Chains = f.Spec.Table.Chains[:4]
		}, false},
		"no chain":      {func(f *networkingv1beta1.FirewallConfiguration) { f.Spec.Table.Chains = nil }, false},
		"no name":       {func(f *networkingv1beta1.FirewallConfiguration) { f.Spec.Table.Name = nil }, false},
		"no annotation": {func(f *networkingv1beta1.FirewallConfiguration) { f.Annotations = nil }, false},
		"hostile annotation": {func(f *networkingv1beta1.FirewallConfiguration) {
			f.Annotations[LimitsAnnotation] = `{"in":[{"protocol":"\u001b[2J"}]}`
		}, false},
	} {
		rules := &networkingv1beta1.FirewallConfiguration{}
		rules.Annotations = map[string]string{LimitsAnnotation: limited.Annotation()}
		rules.Spec.Table = limited.Table("t")
		test.edit(rules)
		found := Objects{Firewall: rules}.Limits()
		if (found != nil) != test.found || found != nil && found.Annotation() != limited.Annotation() {
			t.Errorf("%s: got %+v", name, found)
		}
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
			texts = append(texts, string(match.IP.Position)+" "+match.IP.Value)
		case match.Proto != nil:
			texts = append(texts, string(match.Proto.Value))
		case match.Port != nil:
			texts = append(texts, string(match.Port.Position)+" port "+match.Port.Value)
		}
	}
	return strings.Join(texts, ", ")
}

func TestTheRulesOfATableAreCounted(t *testing.T) {
	if got := limited.TableRules(); got != 4+2+1+1+10+10 {
		t.Errorf("got %d", got)
	}
}
