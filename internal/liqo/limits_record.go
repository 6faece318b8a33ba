package liqo

import (
	"context"
	"encoding/json"
	"net/netip"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// LimitsAnnotation is on a gateway, and names the FirewallConfiguration next to it that enforces the [Limits] of the
// end. On that FirewallConfiguration it has the record of the limits. Only a leaf with limits is asked for
// FirewallConfigurations.
const LimitsAnnotation = cluster.FieldManager + "/allow"

// limitsRecord is what [LimitsAnnotation] says about a table. Another version of this provider may enforce the same
// limits by another table, which this one can't write. It knows by the digest whether somebody has edited it since.
type limitsRecord struct {
	Limits

	Version int    `json:"version"` // of the table, as [TableVersion]
	Digest  string `json:"digest"`  // of the table
}

// WriteTo gives a FirewallConfiguration the table with this name that enforces the limits, and the record of them.
func (l Limits) WriteTo(rules *networkingv1beta1.FirewallConfiguration, name string) {
	rules.Spec.Table = l.Table(name)
	//nolint:errchkjson // strings and numbers
	text, _ := json.Marshal(limitsRecord{l, TableVersion, Digest(rules.Spec.Table)})
	cluster.SetAnnotation(rules, LimitsAnnotation, string(text))
}

// ReadFirewall reads the FirewallConfiguration that the gateway names from the leaf's cache.
func (o *Objects) ReadFirewall(ctx context.Context, leaf *cluster.Leaf) error {
	gateway := o.Gateway
	if gateway == nil || gateway.GetAnnotations()[LimitsAnnotation] == "" {
		return nil
	}
	key := client.ObjectKey{Namespace: gateway.GetNamespace(), Name: gateway.GetAnnotations()[LimitsAnnotation]}
	var found networkingv1beta1.FirewallConfiguration
	exists, err := leaf.GetCached(ctx, key, &found)
	if exists && cluster.RemoteID(&found) == cluster.RemoteID(gateway) {
		o.Firewall = &found
	}
	return err
}

// recordOf returns the record of a FirewallConfiguration. It returns nil if it is not known what the table enforces,
// because someone has edited it. What a newer version of this provider has written, this one can't judge.
func recordOf(rules *networkingv1beta1.FirewallConfiguration) *limitsRecord {
	if rules == nil || rules.Spec.Table.Name == nil {
		return nil
	}
	var record limitsRecord
	written := []byte(rules.Annotations[LimitsAnnotation])
	if json.Unmarshal(written, &record) != nil || !record.valid() {
		return nil
	}
	table, intact := rules.Spec.Table, true
	switch {
	case record.Version == TableVersion:
		intact = equality.Semantic.DeepEqual(table, record.Table(*table.Name))
	case record.Version < TableVersion:
		intact = record.Digest == Digest(table)
	}
	if !intact {
		return nil
	}
	return &record
}

// valid reports whether all values can be in a table. An annotation is data that anyone may have written.
func (l Limits) valid() bool {
	isRange := func(cidr string) bool {
		prefix, err := netip.ParsePrefix(cidr)
		return err == nil && prefix.Addr().Is4()
	}
	isRule := func(rule Rule) bool {
		return slices.Contains([]string{"", TCP, UDP, ICMP}, rule.Protocol) && all(rule.CIDRs, isRange)
	}
	nodes, err := netip.ParseAddr(l.Nodes)
	return err == nil && nodes.Is4() && all(slices.Concat(l.In, l.Out), isRule) &&
		all(slices.Concat(l.Own, l.Other), isRange)
}

func all[T any](items []T, is func(T) bool) bool {
	return !slices.ContainsFunc(items, func(item T) bool { return !is(item) })
}

// Limits returns what may cross the network as this end enforces it. It returns nil if everything may, or if someone
// has edited or removed the rules.
func (o Objects) Limits() *Limits {
	if record := recordOf(o.Firewall); record != nil {
		return &record.Limits
	}
	return nil
}

// LimitsVersion returns the version of the table that enforces the limits, as [TableVersion]. It is zero if they are
// not known.
func (o Objects) LimitsVersion() int {
	if record := recordOf(o.Firewall); record != nil {
		return record.Version
	}
	return 0
}

// HasLimits reports whether this end has rules, or had them when its gateway was written.
func (o Objects) HasLimits() bool { return o.Firewall != nil || o.TunnelSettings().Limited }

// LimitsEdited reports whether someone has edited or removed the rules of this end.
func (o Objects) LimitsEdited() bool { return o.HasLimits() && o.Limits() == nil }

// LimitsApplied reports whether the gateway enforces the rules as they are. Liqo (1.2.0) does not report again when
// rules change, so only a report about these rules counts.
func (o Objects) LimitsApplied() bool {
	return o.Firewall != nil && ReportsCurrentRules(o.Firewall) && slices.ContainsFunc(o.Firewall.Status.Conditions,
		func(condition networkingv1beta1.FirewallConfigurationStatusCondition) bool {
			return condition.Type == networkingv1beta1.FirewallConfigurationStatusConditionTypeApplied &&
				condition.Status == metav1.ConditionTrue
		})
}
