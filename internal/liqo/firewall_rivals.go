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

// LastPriority is the priority of the last chain of [Limits.Table] that the kernel asks about new connections.
const LastPriority = natPriority + 3

// IsReadBy reports whether the gateway for this other cluster reads a FirewallConfiguration.
func IsReadBy(configuration *networkingv1beta1.FirewallConfiguration, remote string) bool {
	labels := configuration.Labels
	return labels[FirewallCategoryLabel] == GatewayCategory && (labels[FirewallUniqueLabel] == remote ||
		slices.Contains(sharedSubcategories, labels[firewallSubcategoryLabel]))
}

// IsSameTable reports whether two tables are one for a gateway. Liqo in it removes what one has and the other one
// lacks.
func IsSameTable(one, other firewall.Table) bool {
	return one.Name != nil && other.Name != nil && *one.Name == *other.Name && one.Family != nil && other.Family != nil &&
		*one.Family == *other.Family
}

// TakesConnections reports whether a table translates new connections from the tunnel before all rules of
// [Limits.Table] are asked. The kernel asks no further chain of type NAT about a connection that has a translation.
// Chains of other types can't let through what another one drops.
func TakesConnections(table firewall.Table) bool {
	if table.Family == nil || *table.Family != firewall.TableFamilyIPv4 && *table.Family != firewall.TableFamilyINet {
		return false
	}
	return slices.ContainsFunc(table.Chains, func(chain firewall.Chain) bool {
		return chain.Type == firewall.ChainTypeNAT && chain.Hook != nil && *chain.Hook == firewall.ChainHookPrerouting &&
			chain.Priority != nil && *chain.Priority <= LastPriority &&
			slices.ContainsFunc(chain.Rules.NatRules, translatesFromTunnel)
	})
}

// translatesFromTunnel reports whether a rule may translate the destination of what comes from the tunnel.
func translatesFromTunnel(rule firewall.NatRule) bool {
	elsewhere := func(match firewall.Match) bool {
		return match.Dev != nil && match.Dev.Position == firewall.MatchDevPositionIn &&
			(match.Dev.Value == tunnelDevice) != (match.Op == firewall.MatchOperationEq)
	}
	return rule.NatType == firewall.NatTypeDestination && !slices.ContainsFunc(rule.Match, elsewhere)
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
