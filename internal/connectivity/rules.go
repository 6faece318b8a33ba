package connectivity

import (
	"context"
	"fmt"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// forbidden returns the fault of an end of a way whose rules let no ping cross, or no answer to one. It returns nil if
// the rules of both ends do. Rules name the pods by the addresses that they have on their own leaf.
func (w way) forbidden() *Fault {
	if w.target >= len(w.to.listeners) {
		return nil
	}
	target := w.to.listeners[w.target].Status.PodIP
	if limits := w.to.objects.Limits(); !limits.LetsIn(liqo.ICMP, 0, target) {
		return w.to.rulesFault(w, target, limits.In, fmt.Sprintf("pings from %q", w.from.Leaf.Name))
	}
	if limits := w.from.objects.Limits(); !limits.LetsOut(liqo.ICMP, 0, target) {
		return w.from.rulesFault(w, target, limits.Out, fmt.Sprintf("answers to pings from %q", w.from.Leaf.Name))
	}
	return nil
}

// rulesFault is the fault of this leaf's rules for pods of the target's leaf. None of them is for pings to the target.
func (s *station) rulesFault(w way, target string, rules []liqo.Rule, what string) *Fault {
	return &Fault{Hop: HopGateway, Problem: trouble.Problem{
		ID: "rules-stop-pings", Leaf: s.Leaf.Name,
		Summary: fmt.Sprintf("no rule on leaf %q allows %s", s.Leaf.Name, what),
		Evidence: []string{
			w.story(),
			fmt.Sprintf("%s of leaf %q allows only connections to pods of %q that a rule names, and the test's pod there "+
				"has the address %s. %s",
				s.Leaf.Describe(s.objects.Firewall), s.Leaf.Name, w.to.Leaf.Name, target, tellRules(rules)),
		},
		Advice: fmt.Sprintf("The test pings. To let it, add this rule to `allow`:\n\n  { to = %q, protocol = \"ICMP\" }\n\n"+
			"It allows pings to all pods that %q announces; `cidrs` would name some. Without it, a test can't pass in this "+
			"direction. The `status` of the shortcut still says whether the tunnel is up.",
			w.to.objects.Gateway.Role, w.to.Leaf.Name),
	}}
}

// shownRules limits the rules in a message.
const shownRules = 5

// tellRules says what rules for pods of one leaf let cross.
func tellRules(rules []liqo.Rule) string {
	if len(rules) == 0 {
		return "There is no rule for them: `allow` is empty, or has rules for the other direction only."
	}
	var texts []string
	for _, rule := range rules[:min(len(rules), shownRules)] {
		texts = append(texts, rule.String())
	}
	if more := len(rules) - shownRules; more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("The rules for them name %s.", trouble.Enumerate(texts))
}

// filters names the FirewallConfigurations that let the leaf's gateway drop packets. It is empty if there are none.
func (s *station) filters(ctx context.Context) []string {
	var list networkingv1beta1.FirewallConfigurationList
	if err := s.Leaf.List(ctx, &list); err != nil {
		return []string{fmt.Sprintf("The FirewallConfigurations of leaf %q can't be read: %s", s.Leaf.Name,
			trouble.Shown(err.Error()))}
	}
	var dropping []client.Object
	for i := range list.Items {
		if rules := &list.Items[i]; liqo.IsReadBy(rules, string(s.Remote.ID)) && liqo.Drops(rules.Spec.Table) {
			dropping = append(dropping, rules)
		}
	}
	if len(dropping) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("The gateway of %q drops packets as it is told by %s.", s.Leaf.Name,
		explain.Names(s.Leaf, dropping...))}
}
