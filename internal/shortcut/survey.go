package shortcut

import (
	"cmp"
	"context"
	"slices"
	"sync"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	fcutils "github.com/liqotech/liqo/pkg/utils/foreigncluster"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Survey is how a number of leaves are joined with each other.
type Survey struct {
	Leaves   []Member  // each cluster once, sorted by name
	Networks []Link    // those between two of the leaves, sorted by the client's and the server's name
	Peerings []Peering // those between two of the leaves, sorted by the consumer's and the provider's name
}

// Member is a leaf that was asked for.
type Member struct {
	Name      string
	ClusterID string // Liqo's; empty while Err is set
	Err       error  // why nothing is known of what the leaf holds
}

// Party is a leaf at one end of a link.
type Party struct {
	Name      string // the user's name for it
	ClusterID string // Liqo's, as the other leaf knows it
}

// Link is the network between two leaves.
type Link struct {
	Client, Server Party // who dials, and who exposes the gateway

	Status         Status // Unknown where one of the two leaves could not be read
	MadeBy         Maker
	Owner          *Ownership // nil where no resource of this provider owns it
	MTU            int        // in bytes; 0 while there is no gateway
	ServerEndpoint *Endpoint  // nil while there is none
	Latency        *Latency   // as the client has measured it, else as the server has; nil where neither has
}

// Ownership is what the leaves say of the resource that owns a network.
type Ownership struct {
	Origin   Origin
	Complete bool // false while a create is under way, and after one was killed
}

// Peering lets one cluster use another's resources.
type Peering struct {
	Consumer, Provider Party
	BothWays           bool // each is the other's consumer, or Liqo does not know yet who is
}

// Unknown is the [Status] of a network of which only one end can be read. A [State] never has it.
const Unknown Status = "Unknown"

// Connect finds and connects a leaf by its name, as [cluster.Registry.Leaf] does.
type Connect func(ctx context.Context, name string) (*cluster.Leaf, error)

// Look surveys the leaves of these names, all at the same time. A leaf that can't be read has its error and hides nothing of the others; what these hold of it
// shows where its name is its cluster ID, too. Of several names for one cluster the first counts. The cost is what one leaf costs, times the leaves: it does not
// depend on how many of them are joined.
func Look(ctx context.Context, names []string, connect Connect) Survey {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	seen := make([]sighting, len(names))
	var looking sync.WaitGroup
	for i, name := range names {
		looking.Go(func() { seen[i] = sight(ctx, name, connect) })
	}
	looking.Wait()
	return newAtlas(seen).survey()
}

// sighting is one leaf as it was found.
type sighting struct {
	Member
	held holdings
}

func sight(ctx context.Context, name string, connect Connect) sighting {
	seen := sighting{Member: Member{Name: name}}
	leaf, err := connect(ctx, name)
	if err == nil {
		seen.held, err = holdingsOf(ctx, leaf)
	}
	if err != nil {
		seen.Err = err
		return seen
	}
	seen.ClusterID = string(leaf.ID)
	return seen
}

// atlas finds leaves by their cluster IDs.
type atlas struct {
	seen []sighting
	byID map[string]int // index in seen
}

func newAtlas(seen []sighting) atlas {
	a := atlas{byID: map[string]int{}}
	for _, one := range seen {
		if _, twice := a.byID[one.ClusterID]; twice && one.Err == nil {
			continue // another name for the same cluster
		}
		if one.Err == nil {
			a.byID[one.ClusterID] = len(a.seen)
		}
		a.seen = append(a.seen, one)
	}
	for i, one := range a.seen {
		if _, taken := a.byID[one.Name]; one.Err != nil && !taken {
			a.byID[one.Name] = i // the best guess there is
		}
	}
	return a
}

// id is the cluster ID by which the others know a leaf, as far as that is known.
func (a atlas) id(i int) string { return cmp.Or(a.seen[i].ClusterID, a.seen[i].Name) }

// pairs are the indices of each two leaves of which at least one holds something of the other, the lower one first.
func pairs[T any](a atlas, of func(holdings) map[string]T) map[[2]int]struct{} {
	found := map[[2]int]struct{}{}
	for i := range a.seen {
		for id := range of(a.seen[i].held) {
			if j, ok := a.byID[id]; ok && j != i {
				found[[2]int{min(i, j), max(i, j)}] = struct{}{}
			}
		}
	}
	return found
}

func (a atlas) survey() Survey {
	var survey Survey
	for i := range a.seen {
		survey.Leaves = append(survey.Leaves, a.seen[i].Member)
	}
	for pair := range pairs(a, func(h holdings) map[string]objects { return h.networks }) {
		if link, ok := a.link(pair[0], pair[1]); ok {
			survey.Networks = append(survey.Networks, link)
		}
	}
	for pair := range pairs(a, func(h holdings) map[string]*liqov1beta1.ForeignCluster { return h.peerings }) {
		survey.Peerings = append(survey.Peerings, a.peering(pair[0], pair[1]))
	}
	slices.SortFunc(survey.Networks, func(one, other Link) int {
		return cmp.Or(cmp.Compare(one.Client.Name, other.Client.Name), cmp.Compare(one.Server.Name, other.Server.Name))
	})
	slices.SortFunc(survey.Peerings, func(one, other Peering) int {
		return cmp.Or(cmp.Compare(one.Consumer.Name, other.Consumer.Name), cmp.Compare(one.Provider.Name, other.Provider.Name))
	})
	return survey
}

// link is the network of two leaves; false where nothing is left of it but what Liqo itself will remove.
func (a atlas) link(i, j int) (Link, bool) {
	client, server := a.seen[i].held.networks[a.id(j)], a.seen[j].held.networks[a.id(i)]
	if !client.dials(server) {
		i, j, client, server = j, i, server, client
	}
	maker := makerOf(client, server, a.peered(i, j))
	link := Link{
		Client: a.party(i), Server: a.party(j),
		Status: deriveStatus(client, server, false), MadeBy: maker,
		ServerEndpoint: endpointOf(server.server), Latency: cmp.Or(client.latency(), server.latency()),
	}
	pair := ends{client, server}
	if token := pair.soleOwner(); token != "" {
		link.Owner = &Ownership{Origin: pair.originOf(token), Complete: pair.complete(token)}
	}
	switch {
	case server.server != nil:
		link.MTU = server.server.Spec.MTU
	case client.client != nil:
		link.MTU = client.client.Spec.MTU
	}
	if a.seen[i].Err != nil || a.seen[j].Err != nil {
		link.Status = Unknown
	}
	return link, maker != ""
}

func (a atlas) party(i int) Party { return Party{Name: a.seen[i].Name, ClusterID: a.id(i)} }

func (a atlas) peered(i, j int) bool {
	return a.seen[i].held.peerings[a.id(j)] != nil || a.seen[j].held.peerings[a.id(i)] != nil
}

// peering is the peering of two leaves, of which at least one has a record.
func (a atlas) peering(i, j int) Peering {
	forward, back := a.consumes(i, j), a.consumes(j, i)
	if back && !forward {
		i, j = j, i
	}
	return Peering{Consumer: a.party(i), Provider: a.party(j), BothWays: forward == back}
}

// consumes reports whether, by either leaf's record of the other, one uses the other's resources.
func (a atlas) consumes(consumer, provider int) bool {
	atConsumer, atProvider := a.seen[consumer].held.peerings[a.id(provider)], a.seen[provider].held.peerings[a.id(consumer)]
	return (atConsumer != nil && fcutils.IsProvider(atConsumer.Status.Role)) || (atProvider != nil && fcutils.IsConsumer(atProvider.Status.Role))
}
