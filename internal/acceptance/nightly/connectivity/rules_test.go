package connectivity

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/apis/networking/v1beta1/firewall"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccPacketsThatNoRuleLetsCrossAreNamedAfterTheRules(t *testing.T) {
	p := borrowTested(t, twoNodes, acctest.OverNodePort)
	allow := func(rules string) {
		p.pair.Configure(acctest.OverNodePort + "\nallow = [" + rules + "]")
		p.pair.Update()
	}
	const (
		fromRome  = `No rule on leaf "milan" allows pings from "rome"`
		fromMilan = `No rule on leaf "rome" allows pings from "milan"`
		there     = `{ to = "server", protocol = "ICMP" }`
		back      = `{ to = "client", protocol = "ICMP" }`
	)
	allow("")
	acctest.Says(t, p.Refused("apply", "-auto-approve"), fromRome, fromMilan, there, back, "`allow` is empty",
		"FirewallConfiguration liqo-tenant-rome/rome-allow", "FirewallConfiguration liqo-tenant-milan/milan-allow")
	allow(there + `, { to = "client", protocol = "TCP", port = 80 }`)
	output := p.Refused("apply", "-auto-approve")
	acctest.Says(t, output, fromMilan, back, "TCP to port 80")
	acctest.DoesNotSay(t, output, fromRome)
	allow(there + ", " + back)
	p.passes() // pings may cross
	p.noPods()
}

func TestAccPacketsThatAForeignRuleDropsAreNamedAfterIt(t *testing.T) {
	p := borrowTested(t, twoNodes, acctest.OverNodePort)
	name, family := "theirs", firewall.TableFamilyIPv4
	hook, policy, priority := firewall.ChainHookForward, firewall.ChainPolicyAccept, firewall.ChainPriorityFilter
	p.lab.Have(t, "milan", &networkingv1beta1.FirewallConfiguration{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: metav1.NamespaceDefault, Name: name, Labels: map[string]string{
				"networking.liqo.io/firewall-category": "gateway", "networking.liqo.io/firewall-unique": "rome",
			},
		},
		Spec: networkingv1beta1.FirewallConfigurationSpec{Table: firewall.Table{
			Name: &name, Family: &family, Chains: []firewall.Chain{{
				Name: &name, Type: firewall.ChainTypeFilter, Hook: &hook, Policy: &policy, Priority: &priority,
				Rules: firewall.RulesSet{FilterRules: []firewall.FilterRule{{
					Name: &name, Action: firewall.ActionDrop, Match: []firewall.Match{{
						Op:  firewall.MatchOperationEq,
						Dev: &firewall.MatchDev{Value: "liqo-tunnel", Position: firewall.MatchDevPositionIn},
					}},
				}}},
			}},
		}},
	})
	acctest.Await(t, p.lab.Lab, "milan", &networkingv1beta1.FirewallConfigurationList{}, name,
		func(rules *networkingv1beta1.FirewallConfiguration) bool {
			return len(rules.Status.Conditions) == 1 && rules.Status.Conditions[0].Status == metav1.ConditionTrue
		})
	acctest.Says(t, p.Refused("apply", "-auto-approve"),
		`Packets from "rome" to "milan" get lost in one of the two gateways`,
		"FirewallConfiguration default/theirs")
	p.pair.Run("destroy", "-auto-approve") // Liqo leaves rules in a gateway
}
