package liqo

import (
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/apis/networking/v1beta1/firewall"
)

// The labels with which a gateway finds its FirewallConfigurations, in any namespace. Liqo defines them in pkg/firewall
// and pkg/gateway, which import nftables.
const (
	FirewallCategoryLabel    = "networking.liqo.io/firewall-category"
	FirewallUniqueLabel      = "networking.liqo.io/firewall-unique"
	firewallSubcategoryLabel = "networking.liqo.io/firewall-subcategory"

	GatewayCategory = "gateway" // the value of FirewallCategoryLabel for gateways
)

// sharedSubcategories are those that every gateway reads.
var sharedSubcategories = []string{"fabric", "all-gateways", "ip-mapping"}

// IsReadBy reports whether the gateway for this other cluster reads a FirewallConfiguration.
func IsReadBy(configuration *networkingv1beta1.FirewallConfiguration, remote string) bool {
	labels := configuration.Labels
	return labels[FirewallCategoryLabel] == GatewayCategory && (labels[FirewallUniqueLabel] == remote ||
		slices.Contains(sharedSubcategories, labels[firewallSubcategoryLabel]))
}

// Drops reports whether a table lets a gateway drop packets. Those of Liqo itself only translate and mark.
func Drops(table firewall.Table) bool {
	return slices.ContainsFunc(table.Chains, func(chain firewall.Chain) bool {
		return chain.Policy != nil && *chain.Policy == firewall.ChainPolicyDrop ||
			slices.ContainsFunc(chain.Rules.FilterRules, func(rule firewall.FilterRule) bool {
				return rule.Action == firewall.ActionDrop || rule.Action == firewall.ActionReject
			})
	})
}
