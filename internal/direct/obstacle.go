package direct

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Obstacle keeps a leaf from reaching pods of another leaf directly.
type Obstacle struct {
	trouble.Problem

	// Missing has the IDs of the two clusters if they have no network. It is the zero value for another obstacle.
	Missing [2]string
}

// obstacle returns an obstacle of the leaf. It takes why it is one and what would help, in sentences.
func (m *member) obstacle(id trouble.ID, why, advice string) *Obstacle {
	return &Obstacle{Problem: trouble.Problem{
		ID: id, Leaf: m.name(), Summary: fmt.Sprintf("leaf %q can't use direct connections", m.name()),
		Evidence: []string{why}, Advice: advice,
	}}
}

// obstacles are what keeps one leaf from reaching pods of other leaves directly, by the EndpointSlice of the centre
// with these pods. Liqo translates all addresses of an EndpointSlice or, if it can't translate one of them, none:
// shadowendpointslice_controller.go of Liqo 1.2.0.
type obstacles map[string]*Obstacle

func (m *member) obstacles(ctx context.Context, pods []pod) (obstacles, error) {
	obstacles := obstacles{}
	for _, p := range pods {
		if !p.elsewhere(m) || obstacles[p.slice] != nil {
			continue
		}
		for _, look := range []func(context.Context, pod) (*Obstacle, error){
			m.unmapped, m.tooOld, m.denies, m.untranslatable,
		} {
			found, err := look(ctx, p)
			if err != nil {
				return nil, err
			}
			if found != nil {
				obstacles[p.slice] = found
				break
			}
		}
	}
	return obstacles, nil
}

// all returns the obstacles, each once.
func (o obstacles) all() []Obstacle {
	var all []Obstacle
	for _, obstacle := range o {
		all = append(all, *obstacle)
	}
	byText := func(a, b Obstacle) int { return cmp.Compare(a.Detail(), b.Detail()) }
	slices.SortFunc(all, byText)
	return slices.CompactFunc(all, func(a, b Obstacle) bool { return byText(a, b) == 0 })
}

// unmapped looks at whether the leaf has a namespace for the pods.
func (m *member) unmapped(context.Context, pod) (*Obstacle, error) {
	if m.namespace != "" {
		return nil, nil
	}
	return m.obstacle("namespace-not-accepted",
		fmt.Sprintf("Leaf %q has not accepted namespace %q.", m.name(), m.service.Namespace),
		"The log of liqo-controller-manager on that leaf says why."), nil
}

// tooOld looks at the versions of Liqo in the centre, which sends the addresses, and in the leaf, which uses them.
func (m *member) tooOld(ctx context.Context, _ pod) (*Obstacle, error) {
	for _, leaf := range []*cluster.Leaf{m.service.Centre, m.leaf} {
		able, err := liqo.CapabilitiesOf(ctx, leaf)
		if err != nil {
			return nil, err
		}
		if !able.DirectConnections {
			return m.obstacle("direct-connections-unsupported",
				fmt.Sprintf("%s in %q knows no direct connections.", liqo.Name(ctx, leaf), leaf.Name),
				"Update it to v1.2.0 or newer."), nil
		}
	}
	return nil, nil
}

// denies looks at whether Liqo on the leaf forbids direct connections. Liqo that keeps both addresses of a pod uses the
// one through the centre.
func (m *member) denies(ctx context.Context, _ pod) (*Obstacle, error) {
	if denied, err := liqo.DeniesDirectConnections(ctx, m.leaf); err != nil || !denied {
		return nil, err
	}
	effect := fmt.Sprintf("It removes the pods of other leaves from a Service that requests them. So %q reaches "+
		"none of these pods, not even through the central cluster.", m.name())
	if m.addresses.keepsBoth() {
		effect = fmt.Sprintf("So %q reaches the pods of other leaves through the central cluster.", m.name())
	}
	return m.obstacle("direct-connections-denied",
		fmt.Sprintf("Liqo on leaf %q forbids direct connections (`networking.denyDirectConnections`). %s", m.name(), effect),
		"Set this value of Liqo's chart to false on that leaf, or remove this resource."), nil
}

// untranslatable looks for what keeps Liqo from finding the direct address of a pod of another leaf.
func (m *member) untranslatable(ctx context.Context, p pod) (*Obstacle, error) {
	configuration, err := configurationOf(ctx, m.leaf, p.cluster)
	if err != nil {
		return nil, err
	}
	other := m.nameOf(p.cluster)
	if configuration == nil || configuration.Status.Remote == nil {
		effect := fmt.Sprintf("so Liqo on %q can't update the EndpointSlice with their pods at all: it keeps the addresses "+
			"that it had, or has none.", m.name())
		if m.addresses.keepsBoth() {
			effect = fmt.Sprintf("so Liqo on %q sends packets through the central cluster.", m.name())
		}
		obstacle := m.obstacle("leaves-not-joined",
			fmt.Sprintf("Leaves %q and %q have no network, %s", m.name(), other, effect),
			"Connect them with a liqo_shortcut on which this resource depends.")
		obstacle.Missing = [2]string{min(m.id, p.cluster), max(m.id, p.cluster)}
		return obstacle, nil
	}
	if m.directAddress(ctx, p) != "" {
		return nil, nil
	}
	fromCentre, err := configurationOf(ctx, m.service.Centre, p.cluster)
	if err != nil {
		return nil, err
	}
	if fromCentre != nil && leadsTo(fromCentre, p.address) &&
		!slices.Equal(fromCentre.Spec.Remote.CIDR.Pod, fromCentre.Status.Remote.CIDR.Pod) {
		return m.obstacle("pod-range-remapped",
			fmt.Sprintf("The central cluster, %q, reaches the pods of %q at other addresses than their own: it "+
				"remaps %s to %s. Liqo 1.2.0 can't translate these addresses for %q.", m.service.Centre.Name, other,
				listCIDRs(fromCentre.Spec.Remote.CIDR.Pod), listCIDRs(fromCentre.Status.Remote.CIDR.Pod), m.name()),
			fmt.Sprintf("Give %q a pod CIDR that overlaps with no range of the central cluster and its other "+
				"leaves.", other)), nil
	}
	return m.obstacle("pod-range-not-announced",
		fmt.Sprintf("The network of %q and %q does not announce the address %s of pod %s, only %s.",
			m.name(), other, p.address, p.name, listCIDRs(configuration.Spec.Remote.CIDR.Pod)),
		"Announce all pod CIDRs of that leaf in the shortcut."), nil
}

func listCIDRs(cidrs []networkingv1beta1.CIDR) string {
	return strings.Join(liqo.CIDRStrings(cidrs), ", ")
}
