package end

import (
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/apis/networking/v1beta1/firewall"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// rivalFor returns a FirewallConfiguration of someone else for the gateway for another cluster.
func rivalFor(remote, table string) *networkingv1beta1.FirewallConfiguration {
	family := firewall.TableFamilyIPv4
	return &networkingv1beta1.FirewallConfiguration{
		ObjectMeta: metav1.ObjectMeta{
			Name: "open", Namespace: "default", UID: "open",
			Labels: map[string]string{
				liqo.FirewallCategoryLabel: liqo.GatewayCategory, liqo.FirewallUniqueLabel: remote,
			},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "setup", UID: "setup"}},
		},
		Spec: networkingv1beta1.FirewallConfigurationSpec{Table: firewall.Table{Name: &table, Family: &family}},
	}
}

// opening lets the FirewallConfiguration translate all new connections to one address before anything else.
func opening(rival *networkingv1beta1.FirewallConfiguration) *networkingv1beta1.FirewallConfiguration {
	hook, policy, priority := firewall.ChainHookPrerouting, firewall.ChainPolicyAccept, firewall.ChainPriority(-200)
	rival.Spec.Table.Chains = []firewall.Chain{{
		Name: new("open"), Type: firewall.ChainTypeNAT, Hook: &hook, Policy: &policy, Priority: &priority,
		Rules: firewall.RulesSet{NatRules: []firewall.NatRule{{
			NatType: firewall.NatTypeDestination, To: new("10.0.0.5"), Match: []firewall.Match{},
		}}},
	}}
	return rival
}

func TestRulesOfSomeoneElseThatUndoWhatMayCrossAreFoundWithTheirOwner(t *testing.T) {
	limits := liqo.Limits{Own: []string{"10.0.0.0/16"}, Other: []string{"10.1.0.0/16"}}
	for name, test := range map[string]struct {
		rival client.Object
		free  bool   // the gateway has no limits
		says  string // empty if it is no problem
	}{
		"the same table":           {rivalFor("rome", "rome-allow"), false, `the same name, "rome-allow"`},
		"translations":             {opening(rivalFor("rome", "open")), false, "before the rules of `allow` are asked"},
		"another table":            {rivalFor("rome", "open"), false, ""},
		"of another gateway":       {opening(rivalFor("turin", "rome-allow")), false, ""},
		"of a gateway without any": {opening(rivalFor("rome", "open")), true, ""},
	} {
		gateway := exposedGateway()
		objects := []client.Object{gateway, test.rival}
		if !test.free {
			e := milansEnd(t)
			e.setLimited(gateway, true)
			rules := e.forgeFirewall(gateway.Namespace, &limits, limits.Table(e.firewallName()))
			rules.UID = "rules"
			objects = append(objects, rules)
		}
		found, err := milansEnd(t, objects...).RivalRules(t.Context())
		must(t, err)
		if test.says == "" {
			if len(found) > 0 {
				t.Errorf("%s: got %v", name, found)
			}
			continue
		}
		if len(found) != 1 || !strings.Contains(found[0].Headline(), "default/open may undo `allow` on leaf \"milan\"") ||
			!strings.Contains(found[0].Detail(), test.says) || !strings.Contains(found[0].Detail(), "ConfigMap setup") {
			t.Errorf("%s: got %v", name, found)
		}
	}
}
