package liqo

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/apis/networking/v1beta1/firewall"
)

func TestAGatewayReadsWhatIsForItAndWhatIsForEveryGateway(t *testing.T) {
	for name, test := range map[string]struct {
		labels map[string]string
		read   bool
	}{
		"for it":            {map[string]string{FirewallCategoryLabel: "gateway", FirewallUniqueLabel: "rome"}, true},
		"for another one":   {map[string]string{FirewallCategoryLabel: "gateway", FirewallUniqueLabel: "turin"}, false},
		"for all":           {map[string]string{FirewallCategoryLabel: "gateway", firewallSubcategoryLabel: "fabric"}, true},
		"for nodes":         {map[string]string{FirewallCategoryLabel: "fabric", FirewallUniqueLabel: "rome"}, false},
		"of another kind":   {map[string]string{FirewallCategoryLabel: "gateway", firewallSubcategoryLabel: "x"}, false},
		"without any label": {nil, false},
	} {
		configuration := &networkingv1beta1.FirewallConfiguration{}
		configuration.Labels = test.labels
		if got := IsReadBy(configuration, "rome"); got != test.read {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

func TestATableTakesConnectionsOnlyIfItTranslatesThemBeforeTheLastRule(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*firewall.Table)
		takes  bool
	}{
		"before all rules": {func(*firewall.Table) {}, true},
		"with the last chain": {func(table *firewall.Table) {
			table.Chains[0].Priority = new(LastPriority)
		}, true},
		"with Liqo's own": {func(table *firewall.Table) {
			table.Chains[0].Priority = new(firewall.ChainPriorityNATDest)
		}, false},
		"at another hook": {func(table *firewall.Table) {
			table.Chains[0].Hook = new(firewall.ChainHookPostrouting)
		}, false},
		"of IPv6":    {func(table *firewall.Table) { table.Family = new(firewall.TableFamilyIPv6) }, false},
		"of both":    {func(table *firewall.Table) { table.Family = new(firewall.TableFamilyINet) }, true},
		"of nothing": {func(table *firewall.Table) { *table = firewall.Table{} }, false},
		"without rules": {func(table *firewall.Table) {
			table.Chains[0].Rules.NatRules = nil
		}, false},
		"of sources": {func(table *firewall.Table) {
			table.Chains[0].Rules.NatRules[0].NatType = firewall.NatTypeSource
		}, false},
		"from another device": {func(table *firewall.Table) {
			table.Chains[0].Rules.NatRules[0].Match[0].Dev.Value = "eth0"
		}, false},
		"from all but another device": {func(table *firewall.Table) {
			table.Chains[0].Rules.NatRules[0].Match[0].Dev.Value = "eth0"
			table.Chains[0].Rules.NatRules[0].Match[0].Op = firewall.MatchOperationNeq
		}, true},
		"from all but the tunnel": {func(table *firewall.Table) {
			table.Chains[0].Rules.NatRules[0].Match[0].Op = firewall.MatchOperationNeq
		}, false},
		"from anywhere": {func(table *firewall.Table) { table.Chains[0].Rules.NatRules[0].Match = nil }, true},
		"a filter that accepts all": {func(table *firewall.Table) {
			table.Chains = []firewall.Chain{Limits{}.envelope()}
		}, false},
	} {
		to, family := "10.203.0.5", firewall.TableFamilyIPv4
		table := firewall.Table{Family: &family, Chains: []firewall.Chain{
			natChain(-10, "open", []firewall.NatRule{translation(to, matchProtocol(TCP))}),
		}}
		test.change(&table)
		if got := TakesConnections(table); got != test.takes {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

func TestTheRulesThemselvesTakeConnectionsUpToTheLastPriority(t *testing.T) {
	last := firewall.ChainPriorityFirst
	for _, chain := range (Limits{}).Table("rules").Chains {
		if chain.Type == firewall.ChainTypeNAT {
			last = max(last, *chain.Priority)
		}
	}
	if last != LastPriority || last >= firewall.ChainPriorityNATDest {
		t.Errorf("the last chain has the priority %d, not %d", last, LastPriority)
	}
}
