package connectivity

import (
	"slices"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/apis/networking/v1beta1/firewall"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// rulesFor is a FirewallConfiguration for a gateway, as Liqo finds it.
func rulesFor(name, remote string, table firewall.Table) *networkingv1beta1.FirewallConfiguration {
	rules := &networkingv1beta1.FirewallConfiguration{ObjectMeta: metav1.ObjectMeta{
		Name: name, Namespace: "liqo-tenant-" + remote, Labels: map[string]string{
			"networking.liqo.io/firewall-category": "gateway", "networking.liqo.io/firewall-unique": remote,
		},
	}}
	rules.Spec.Table = table
	return rules
}

// limit lets only that cross which is allowed, as the leaf enforces it.
func (s *station) limit(limits liqo.Limits) {
	limits.Own, limits.Other = []string{"10.0.0.0/16"}, []string{"10.0.0.0/16"} // both leaves have the same range
	limits.Nodes = "10.70.0.0"
	s.objects.Firewall = rulesFor(string(s.Remote.ID)+"-allow", string(s.Remote.ID), firewall.Table{})
	limits.WriteTo(s.objects.Firewall, "allow")
}

// newLimitedScene is a scene in which Milan is the server, and all pings to it get lost.
func newLimitedScene(t *testing.T) scene {
	t.Helper()
	s := newScene(t)
	s.client.objects.Gateway = liqo.GatewayOf(clustertest.GatewayClient("milan"))
	for _, station := range []*station{s.client, s.server} {
		for _, address := range []string{"10.0.0.1", "10.0.0.2"} {
			station.listeners = append(station.listeners, &corev1.Pod{Status: corev1.PodStatus{PodIP: address}})
		}
	}
	s.losesAll(s.client, s.server, false, 1, 2)
	return s
}

func TestRulesThatLetNoPingCrossAreNamed(t *testing.T) {
	http := liqo.Rule{Protocol: liqo.TCP, Port: 80}
	pings, elsewhere := liqo.Rule{Protocol: liqo.ICMP}, liqo.Rule{Protocol: liqo.ICMP, CIDRs: []string{"10.0.9.0/24"}}
	const answers = "no rule on leaf \"rome\" allows answers to pings from \"rome\""
	for name, test := range map[string]struct {
		milan      []liqo.Rule // to it; Rome has none
		leaf, says string
	}{
		"no rule": {
			nil, "milan", "There is no rule for them: `allow` is empty, or has rules for the other direction only.",
		},
		"other rules": {
			[]liqo.Rule{http, elsewhere}, "milan", "The rules for them name TCP to port 80 and ICMP in 10.0.9.0/24.",
		},
		"many rules":             {slices.Repeat([]liqo.Rule{http}, 7), "milan", "TCP to port 80 and 2 more."},
		"a rule at one end only": {[]liqo.Rule{pings}, "rome", "There is no rule"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newLimitedScene(t)
			s.client.limit(liqo.Limits{})
			s.server.limit(liqo.Limits{In: test.milan})
			found := s.find(t)
			if len(found) != 1 || found[0].ID != "rules-stop-pings" || found[0].Leaf != test.leaf || found[0].Hop != HopGateway {
				t.Fatalf("got %+v", found)
			}
			if is := found[0].Summary == answers; is != (test.leaf == "rome") {
				t.Errorf("got %q", found[0].Summary)
			}
			other := map[string]string{"rome": "milan", "milan": "rome"}[test.leaf]
			clustertest.Has(t, found[0].Detail(),
				"FirewallConfiguration liqo-tenant-"+other+"/"+other+"-allow of leaf", "has the address 10.0.0.1",
				test.says, "\n\n  { to = \"server\", protocol = \"ICMP\" }\n\n")
		})
	}
}

func TestRulesThatLetPingsCrossAreNotBlamed(t *testing.T) {
	for name, rule := range map[string]liqo.Rule{
		"pings": {Protocol: liqo.ICMP}, "everything": {},
		"pings to its range": {Protocol: liqo.ICMP, CIDRs: []string{"10.0.0.0/24"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newLimitedScene(t)
			s.client.limit(liqo.Limits{Out: []liqo.Rule{rule}})
			s.server.limit(liqo.Limits{In: []liqo.Rule{rule}})
			for _, fault := range s.find(t) {
				if fault.ID == "rules-stop-pings" {
					t.Error(fault.Detail())
				}
			}
		})
	}
}

func TestFirewallConfigurationsThatDropPacketsAreNamedWithTheirGateway(t *testing.T) {
	tableOf := func(action firewall.FilterAction) firewall.Table {
		rules := firewall.RulesSet{FilterRules: []firewall.FilterRule{{Action: action}}}
		return firewall.Table{Chains: []firewall.Chain{{Rules: rules}}}
	}
	dropping, marking := tableOf(firewall.ActionReject), tableOf(firewall.ActionCtMark)
	everywhere := rulesFor("everywhere", "milan", dropping)
	delete(everywhere.Labels, liqo.FirewallUniqueLabel)
	everywhere.Labels["networking.liqo.io/firewall-subcategory"] = "all-gateways"
	s := newScene(t, rulesFor("theirs", "milan", dropping), rulesFor("of-liqo", "milan", marking),
		rulesFor("of-another-gateway", "naples", dropping), everywhere)
	want := `The gateway of "rome" drops packets as it is told by ` +
		`FirewallConfiguration liqo-tenant-milan/everywhere and FirewallConfiguration liqo-tenant-milan/theirs.`
	w := way{from: s.client, to: s.server}
	for name, fault := range map[string]*Fault{
		"one of the gateways": w.eitherGateway(t.Context()), "or something else": w.betweenNodes(t.Context()),
		"on the way back": w.reverse().eitherGateway(t.Context()),
	} {
		t.Run(name, func(t *testing.T) {
			if text := strings.Join(fault.Evidence, "\n"); strings.Count(text, want) != 1 {
				t.Errorf("got\n%s", text)
			}
		})
	}
}
