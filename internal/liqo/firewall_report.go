package liqo

import (
	"fmt"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/apis/networking/v1beta1/firewall"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// A report of a gateway does not say which rules it is about. So whoever changes rules puts a mark in the place of the
// reports afterwards. It has the generation of the rules, and all reports beside it are about them. A gateway keeps the
// mark when it reports. It can't bring back an older report: its write is refused, because it has read an older object.
// If the writer is killed before it has put the mark, no report counts. The first generation needs no mark.
//
// The host of a report is the name of the gateway, so replicas have one report. Liqo (1.1 to 1.2) runs its controllers,
// and lets WireGuard begin, in the active one only. So a standby has neither rules nor a tunnel, and nobody can wait
// for it to apply rules: it reads them when it takes over.

// ReportsCurrentRules reports whether the reports of gateways in the status are about the rules as they are.
func ReportsCurrentRules(rules *networkingv1beta1.FirewallConfiguration) bool {
	return rules.Generation <= 1 || slices.ContainsFunc(rules.Status.Conditions,
		func(condition networkingv1beta1.FirewallConfigurationStatusCondition) bool {
			return condition.Host == reportMark(rules)
		})
}

// DropReports removes the reports of gateways, so that they report about the rules as they are.
func DropReports(rules *networkingv1beta1.FirewallConfiguration) {
	rules.Status.Conditions = []networkingv1beta1.FirewallConfigurationStatusCondition{{
		Host: reportMark(rules), Type: networkingv1beta1.FirewallConfigurationStatusConditionTypeApplied,
		Status: metav1.ConditionUnknown, LastTransitionTime: metav1.Now(),
	}}
}

// reportMark is in the place of the host that reports.
func reportMark(rules *networkingv1beta1.FirewallConfiguration) string {
	return fmt.Sprintf("%s/generation-%d", cluster.FieldManager, rules.Generation)
}

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
