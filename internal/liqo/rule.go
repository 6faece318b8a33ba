package liqo

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// The protocols of a [Rule]. An empty one stands for all protocols.
const (
	TCP  = "TCP"
	UDP  = "UDP"
	ICMP = "ICMP" // echo requests; errors always cross
)

// Rule lets new connections to pods of one leaf cross, and the answers to them.
type Rule struct {
	Protocol string   `json:"protocol,omitempty"`
	Port     int32    `json:"port,omitempty"`    // 0 for every port
	EndPort  int32    `json:"endPort,omitempty"` // the last one of a range; 0 if it is only Port
	CIDRs    []string `json:"cidrs,omitempty"`   // as their own leaf sees them; empty for all announced pod CIDRs
}

// String names what the rule lets cross.
func (r Rule) String() string {
	text := cmp.Or(r.Protocol, "every protocol")
	switch {
	case r.EndPort > r.Port:
		text += fmt.Sprintf(" to ports %d-%d", r.Port, r.EndPort)
	case r.Port > 0:
		text += fmt.Sprintf(" to port %d", r.Port)
	}
	if len(r.CIDRs) > 0 {
		text += " in " + strings.Join(r.CIDRs, ", ")
	}
	return text
}

// Limits are what may cross a network, as one end enforces it. All ranges are as their own leaf sees them: Liqo
// translates the addresses of a packet before it enters the tunnel, and after it has left this leaf's rules behind.
type Limits struct {
	In    []Rule   `json:"in"`    // new connections to pods of this leaf
	Out   []Rule   `json:"out"`   // new connections to pods of the other leaf
	Own   []string `json:"own"`   // announced pod CIDRs of this leaf
	Other []string `json:"other"` // announced pod CIDRs of the other leaf
}

// LimitsAnnotation is on a gateway, and names the FirewallConfiguration next to it that enforces the [Limits] of the
// end. On that FirewallConfiguration it has the limits. Only a leaf with limits is asked for FirewallConfigurations.
const LimitsAnnotation = cluster.FieldManager + "/allow"

// Annotation returns the limits as [LimitsAnnotation] has them.
func (l Limits) Annotation() string {
	text, _ := json.Marshal(l) //nolint:errchkjson // strings and numbers
	return string(text)
}

// ReadFirewall reads the FirewallConfiguration that the gateway names from the leaf's cache.
func (o *Objects) ReadFirewall(ctx context.Context, leaf *cluster.Leaf) error {
	gateway := o.Gateway()
	if gateway == nil || gateway.GetAnnotations()[LimitsAnnotation] == "" {
		return nil
	}
	key := client.ObjectKey{Namespace: gateway.GetNamespace(), Name: gateway.GetAnnotations()[LimitsAnnotation]}
	var found networkingv1beta1.FirewallConfiguration
	err := leaf.Cached.Get(ctx, key, &found)
	if err == nil && cluster.RemoteID(&found) == cluster.RemoteID(gateway) {
		o.Firewall = &found
	}
	return leaf.Explain(client.IgnoreNotFound(err))
}

// limitsOf returns the limits that a FirewallConfiguration enforces. It returns nil if they are not known, because
// someone has edited it.
func limitsOf(firewall *networkingv1beta1.FirewallConfiguration) *Limits {
	if firewall == nil || firewall.Spec.Table.Name == nil {
		return nil
	}
	var limits Limits
	written := []byte(firewall.Annotations[LimitsAnnotation])
	if json.Unmarshal(written, &limits) != nil || !limits.valid() {
		return nil
	}
	desired := limits.Table(*firewall.Spec.Table.Name)
	if !equality.Semantic.DeepEqual(firewall.Spec.Table, desired) {
		return nil
	}
	return &limits
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
	return all(l.In, isRule) && all(l.Out, isRule) && all(l.Own, isRange) && all(l.Other, isRange)
}

func all[T any](items []T, is func(T) bool) bool {
	return !slices.ContainsFunc(items, func(item T) bool { return !is(item) })
}

// Limits returns what may cross the network as this end enforces it. It returns nil if everything may, or if someone
// has edited or removed the rules.
func (o Objects) Limits() *Limits { return limitsOf(o.Firewall) }

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
