package end

import (
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/apis/networking/v1beta1/firewall"
)

// Drops reports whether a FirewallConfiguration, whoever has made it, lets the gateway of the end drop packets. Those of
// Liqo itself only translate and mark.
func (e *End) Drops(rules *networkingv1beta1.FirewallConfiguration) bool {
	gateway, only := rules.Labels[firewallUniqueLabel]
	if rules.Labels[firewallCategoryLabel] != "gateway" || only && gateway != string(e.Remote.ID) {
		return false
	}
	return slices.ContainsFunc(rules.Spec.Table.Chains, func(chain firewall.Chain) bool {
		return chain.Policy != nil && *chain.Policy == firewall.ChainPolicyDrop ||
			slices.ContainsFunc(chain.Rules.FilterRules, func(rule firewall.FilterRule) bool {
				return rule.Action == firewall.ActionDrop || rule.Action == firewall.ActionReject
			})
	})
}
