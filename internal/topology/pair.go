package topology

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/leafmesh/terraform-provider-liqo/internal/direct"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Pair is two leaves that have a network, or whose pods could meet over one.
type Pair struct {
	Client, Server string // names of the leaves: those of the network or, while it has no gateway, a proposal

	Services               []PairService // at which pods of both could meet, sorted
	ClientPods, ServerPods int           // all offloaded pods in the namespaces of these Services
	HasShortcut            bool          // they have a network, whoever made it
	CentralLatency         *liqo.Latency // of the two tunnels to the central cluster together; nil if one is not known
}

// PairService is a Service of the central cluster.
type PairService struct {
	Namespace, Name string
	Direct          bool // it requests direct connections
}

// ends are the names of two leaves, sorted.
type ends [2]string

func endsOf(a, b string) ends { return ends{min(a, b), max(a, b)} }

// AddPairs adds the pairs of leaves: those with a network, and those that share a Service of the central cluster, which
// shows these placements. It leaves out leaves that are no nodes. It fails if a cluster that can't be read may keep it
// from finding a pair: who creates a shortcut for each pair would destroy the one of a pair that is missing.
func (g *Graph) AddPairs(placements []direct.Placement) error {
	spokes, pairs := g.networks()
	known := g.leaves()
	for _, placement := range placements {
		placement, err := known.named(placement)
		if err != nil {
			return err
		}
		for _, two := range sharing(placement) {
			if pairs[two] == nil {
				if slices.Contains(known.unread, two[0]) && slices.Contains(known.unread, two[1]) {
					return fmt.Errorf("whether %q and %q have a shortcut is not known, because neither can be read",
						two[0], two[1])
				}
				pairs[two] = proposed(two, spokes)
			}
			pairs[two].add(placement)
		}
	}
	g.Pairs = []Pair{}
	for _, pair := range pairs {
		if one, other := spokes[pair.Client].Latency, spokes[pair.Server].Latency; one != nil && other != nil {
			pair.CentralLatency = &liqo.Latency{Value: one.Value + other.Value}
		}
		g.Pairs = append(g.Pairs, *pair)
	}
	slices.SortFunc(g.Pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(a.Client, b.Client), cmp.Compare(a.Server, b.Server))
	})
	return nil
}

// leaves are the clusters of a graph.
type leaves struct {
	names  map[string]string // by the ID
	unread []string          // names of those that can't be read
}

// leaves returns the clusters. Of those that can't be read, the name is the best guess of the ID, as in a survey.
func (g *Graph) leaves() leaves {
	all := leaves{names: map[string]string{}}
	for _, node := range g.Nodes {
		if node.Status != Ready && node.Status != NoLiqo {
			all.names[node.Name], all.unread = node.Name, append(all.unread, node.Name)
		}
	}
	for _, node := range g.Nodes {
		if node.Status == Ready {
			all.names[node.ClusterID] = node.Name
		}
	}
	return all
}

// named returns a placement with names in place of IDs, without unknown leaves. It fails if one of these may be a
// cluster that can't be read.
func (l leaves) named(placement direct.Placement) (direct.Placement, error) {
	serving, pods := map[string]bool{}, map[string]int{}
	for _, id := range slices.Sorted(maps.Keys(placement.Pods)) {
		if name, isKnown := l.names[id]; isKnown {
			serving[name], pods[name] = placement.Serving[id], placement.Pods[id]
		} else if len(l.unread) > 0 {
			return placement, fmt.Errorf("the central cluster runs pods in a cluster with the ID %q, which may be one of "+
				"those that can't be read: %q", id, l.unread)
		}
	}
	placement.Serving, placement.Pods = serving, pods
	return placement, nil
}

// sharing returns each two leaves that share the Service of a placement.
func sharing(placement direct.Placement) []ends {
	var all []ends
	names := slices.Sorted(maps.Keys(placement.Pods))
	for i, one := range names {
		for _, other := range names[i+1:] {
			if placement.Serving[one] || placement.Serving[other] {
				all = append(all, ends{one, other})
			}
		}
	}
	return all
}

// networks returns the edges of the central cluster, by the name of the leaf, and a pair for each network of two other
// clusters.
func (g *Graph) networks() (spokes map[string]Edge, pairs map[ends]*Pair) {
	var central string
	for _, node := range g.Nodes {
		if node.Central {
			central = node.Name
		}
	}
	spokes, pairs = map[string]Edge{}, map[ends]*Pair{}
	for _, edge := range g.Edges {
		switch central {
		case edge.From:
			spokes[edge.To] = edge
		case edge.To:
			spokes[edge.From] = edge
		}
	}
	for _, edge := range g.Edges {
		if edge.MadeBy == "" || central == edge.From || central == edge.To {
			continue
		}
		pair := proposed(endsOf(edge.From, edge.To), spokes)
		if pair.HasShortcut = true; edge.Dialed == pair.Client {
			pair.Client, pair.Server = pair.Server, pair.Client
		}
		pairs[endsOf(edge.From, edge.To)] = pair
	}
	return spokes, pairs
}

// proposed returns a pair that has no gateway yet. Its server is the leaf that the central cluster dials. If that dials
// both or neither, the two are sorted. Other networks do not count, because a shortcut must not change what is proposed
// for another pair.
func proposed(leaves ends, spokes map[string]Edge) *Pair {
	pair := &Pair{Client: leaves[0], Server: leaves[1]}
	if spokes[pair.Client].Dialed == pair.Client && spokes[pair.Server].Dialed != pair.Server {
		pair.Client, pair.Server = pair.Server, pair.Client
	}
	return pair
}

// add adds a Service, later than those before it in the order of placements, and the pods of its namespace.
func (p *Pair) add(placement direct.Placement) {
	if last := len(p.Services) - 1; last < 0 || p.Services[last].Namespace != placement.Namespace {
		p.ClientPods += placement.Pods[p.Client]
		p.ServerPods += placement.Pods[p.Server]
	}
	p.Services = append(p.Services, PairService{placement.Namespace, placement.Name, placement.Requested})
}

// unjoined returns the pairs without a shortcut.
func (g Graph) unjoined() []Pair {
	return slices.DeleteFunc(slices.Clone(g.Pairs), func(pair Pair) bool { return pair.HasShortcut })
}

// label returns the text of a pair in a picture.
func (p Pair) label() string { return trouble.Counted(len(p.Services), "Service") }
