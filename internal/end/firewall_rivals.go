package end

import (
	"context"
	"fmt"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// RivalRules returns a problem for each other FirewallConfiguration with which the gateway of this end may let more
// cross than its limits, as far as its content tells. It asks the API server, which also knows who has written it, and
// only if the end has limits.
func (e *End) RivalRules(ctx context.Context) ([]*trouble.Problem, error) {
	objects, err := e.Find(ctx)
	if err != nil || !objects.HasLimits() {
		return nil, err
	}
	return e.rivals(ctx, objects.Firewall)
}

// RivalsOfNewRules does so only if the end has no limits yet, for one that gets some.
func (e *End) RivalsOfNewRules(ctx context.Context) ([]*trouble.Problem, error) {
	objects, err := e.Find(ctx)
	if err != nil || objects.HasLimits() {
		return nil, err
	}
	return e.rivals(ctx, nil)
}

// rivals returns the problems with the FirewallConfigurations that are there. Its own one, or nil, is none.
func (e *End) rivals(ctx context.Context, own *networkingv1beta1.FirewallConfiguration) ([]*trouble.Problem, error) {
	var all networkingv1beta1.FirewallConfigurationList
	ofGateways := client.MatchingLabels{liqo.FirewallCategoryLabel: liqo.GatewayCategory}
	if err := e.Leaf.Live.List(ctx, &all, ofGateways); err != nil {
		return nil, e.Leaf.Explain(err)
	}
	table := liqo.Limits{}.Table(e.firewallName())
	var problems []*trouble.Problem
	for i := range all.Items {
		rival := &all.Items[i]
		isOwn := own != nil && own.UID == rival.UID || e.isOurRules(rival) && e.Owner.Owns(rival)
		if isOwn || !liqo.IsReadBy(rival, string(e.Remote.ID)) {
			continue
		}
		switch {
		case liqo.IsSameTable(rival.Spec.Table, table):
			problems = append(problems, e.rivalRules(rival, fmt.Sprintf("Its table has the same name, %q. Liqo in the gateway "+
				"removes the rules of one when it writes those of the other.", *table.Name),
				"give its table another name"))
		case liqo.TakesConnections(rival.Spec.Table):
			problems = append(problems, e.rivalRules(rival, fmt.Sprintf("It translates new connections from the tunnel before "+
				"the rules of `allow` are asked, and then they are not asked. What is left looks at single packets: it lets new "+
				"connections through if they come from a port of %q that a rule allows.", e.Remote.Name),
				fmt.Sprintf("give its chains for prerouting a priority above %d", liqo.LastPriority)))
		}
	}
	return problems, nil
}

// rivalRules returns the problem that a FirewallConfiguration undoes the limits: how it does so, and what would keep it
// from that.
func (e *End) rivalRules(rival *networkingv1beta1.FirewallConfiguration, how, cure string) *trouble.Problem {
	return &trouble.Problem{
		ID: "rules-undone", Leaf: e.Leaf.Name,
		Summary:  fmt.Sprintf("%s may undo `allow`", cluster.Shown(e.Leaf.Describe(rival))),
		Evidence: []string{how, writtenBy(rival)},
		Advice: fmt.Sprintf("So %q may reach more pods of %q than `allow` names, and `allow` shows nothing of it. This "+
			"provider changes nothing that it has not made. Let its owner %s, or delete it.", e.Remote.Name, e.Leaf.Name, cure),
	}
}

// writtenBy says who has made an object and who has written it, as far as it shows that.
func writtenBy(object client.Object) string {
	var names []string
	for _, entry := range object.GetManagedFields() {
		if name := cluster.Shown(entry.Manager); entry.Subresource == "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	text := "Nothing on it says who has written it."
	if len(names) > 0 {
		text = fmt.Sprintf("It was written by %s.", explain.Enumerate(names))
	}
	for _, reference := range object.GetOwnerReferences() {
		text += fmt.Sprintf(" It belongs to %s.", cluster.Shown(reference.Kind+" "+reference.Name))
	}
	if owner.Managed(object) {
		text += " This provider has made it, for another resource or in another namespace."
	}
	return text
}
