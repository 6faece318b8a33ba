package shortcut

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	fcutils "github.com/liqotech/liqo/pkg/utils/foreigncluster"
	"golang.org/x/sync/errgroup"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// Survey shows how a number of leaves are joined with each other.
type Survey struct {
	Leaves   []Leaf    // each cluster once, sorted by name
	Networks []Link    // between two of the leaves, sorted by the client's and the server's name
	Peerings []Peering // between two of the leaves, sorted by the consumer's and the provider's name
}

// Leaf is one of the leaves of a survey.
type Leaf struct {
	Name      string
	ClusterID string // Liqo's; empty if Err is set
	Err       error  // why the leaf could not be read
}

// Cluster is one of the two clusters of a link or a peering.
type Cluster struct {
	Name string // the user's name for it
	ID   string // Liqo's, as the other cluster knows it
}

// Link is the network between two leaves.
type Link struct {
	Client, Server Cluster // the client dials, the server exposes the gateway

	Status         Status // Unknown if one of the two leaves could not be read
	MadeBy         Maker
	Owner          *Ownership     // nil if no resource of this provider owns it
	MTU            int            // in bytes; 0 while there is no gateway
	ServerEndpoint *liqo.Endpoint // nil while there is none
	Latency        *liqo.Latency  // as the client has measured it, else the server; nil if neither has
}

// Ownership is what the leaves record about the resource that owns a network.
type Ownership struct {
	Origin   owner.Origin
	Complete bool // false during a create, and after a killed one
}

// Peering lets one cluster use another's resources.
type Peering struct {
	Consumer, Provider Cluster
	BothWays           bool // each is the other's consumer, or Liqo does not know the roles yet
}

// Ask connects a leaf by its name and asks it a question at the same time, as [cluster.Registry.Ask] does.
type Ask func(
	ctx context.Context, name string, question func(context.Context, *cluster.Leaf) error,
) (*cluster.Leaf, error)

// Look surveys the leaves with these names, all at the same time. The survey has the error of a leaf
// that can't be read, and still has the other leaves. The links of an unreadable leaf appear if its
// name is also its cluster ID. If several names stand for one cluster, the first name counts. The cost
// grows with the number of leaves, not with the number of their networks.
func Look(ctx context.Context, names []string, ask Ask) Survey {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	readings := make([]reading, len(names))
	var looking sync.WaitGroup
	for i, name := range names {
		looking.Go(func() { readings[i] = read(ctx, name, ask) })
	}
	looking.Wait()
	return newAtlas(readings).survey()
}

// reading is the result of reading one leaf: its networks and peerings, by the ID of the other cluster, and the creates
// that its Leases list.
type reading struct {
	Leaf
	networks   map[string]liqo.Objects
	peerings   map[string]*liqov1beta1.ForeignCluster
	unfinished owner.Unfinished
}

func read(ctx context.Context, name string, ask Ask) reading {
	var of reading
	leaf, err := ask(ctx, name, func(ctx context.Context, leaf *cluster.Leaf) error {
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() (err error) { of.peerings, err = end.Peerings(ctx, leaf); return err })
		group.Go(func() (err error) { of.unfinished, err = end.UnfinishedAt(ctx, leaf); return err })
		return group.Wait()
	})
	if err == nil {
		of.networks, err = end.ObserveNetworks(ctx, leaf, owner.Owner{})
	}
	if err != nil {
		return reading{Leaf: Leaf{Name: name, Err: err}}
	}
	of.Leaf = Leaf{Name: name, ClusterID: string(leaf.ID)}
	return of
}

// atlas finds leaves by their cluster IDs.
type atlas struct {
	readings []reading
	byID     map[string]int // index in readings
}

func newAtlas(readings []reading) atlas {
	a := atlas{byID: map[string]int{}}
	for _, one := range readings {
		if _, twice := a.byID[one.ClusterID]; twice && one.Err == nil {
			continue // another name for the same cluster
		}
		if one.Err == nil {
			a.byID[one.ClusterID] = len(a.readings)
		}
		a.readings = append(a.readings, one)
	}
	for i, one := range a.readings {
		if _, taken := a.byID[one.Name]; one.Err != nil && !taken {
			a.byID[one.Name] = i // the name is the best guess of the ID
		}
	}
	return a
}

// id returns the cluster ID of a leaf, or its name if the ID is unknown.
func (a atlas) id(i int) string { return cmp.Or(a.readings[i].ClusterID, a.readings[i].Name) }

// pairs returns the indices of each pair of leaves of which at least one has objects for the other,
// the lower index first.
func pairs[T any](a atlas, of func(reading) map[string]T) map[[2]int]struct{} {
	found := map[[2]int]struct{}{}
	for i := range a.readings {
		for id := range of(a.readings[i]) {
			if j, ok := a.byID[id]; ok && j != i {
				found[[2]int{min(i, j), max(i, j)}] = struct{}{}
			}
		}
	}
	return found
}

func (a atlas) survey() Survey {
	var survey Survey
	for i := range a.readings {
		survey.Leaves = append(survey.Leaves, a.readings[i].Leaf)
	}
	for pair := range pairs(a, func(r reading) map[string]liqo.Objects { return r.networks }) {
		if link, ok := a.link(pair[0], pair[1]); ok {
			survey.Networks = append(survey.Networks, link)
		}
	}
	for pair := range pairs(a, func(r reading) map[string]*liqov1beta1.ForeignCluster { return r.peerings }) {
		survey.Peerings = append(survey.Peerings, a.peering(pair[0], pair[1]))
	}
	slices.SortFunc(survey.Networks, func(one, other Link) int {
		return cmp.Or(cmp.Compare(one.Client.Name, other.Client.Name), cmp.Compare(one.Server.Name, other.Server.Name))
	})
	slices.SortFunc(survey.Peerings, func(one, other Peering) int {
		return cmp.Or(
			cmp.Compare(one.Consumer.Name, other.Consumer.Name), cmp.Compare(one.Provider.Name, other.Provider.Name))
	})
	return survey
}

// link returns the network of two leaves, or false if only objects are left that Liqo itself removes.
func (a atlas) link(i, j int) (Link, bool) {
	n := network{
		client: a.readings[i].networks[a.id(j)], server: a.readings[j].networks[a.id(i)],
		unfinished: owner.Unfinished{},
	}
	for _, one := range []int{i, j} {
		maps.Copy(n.unfinished, a.readings[one].unfinished)
	}
	if n.reversed() {
		i, j, n = j, i, n.reverse()
	}
	link := Link{
		Client: a.cluster(i), Server: a.cluster(j),
		Status: n.status(false), MadeBy: n.madeBy(a.peered(i, j)),
		MTU: cmp.Or(n.server.MTU(), n.client.MTU()), ServerEndpoint: n.server.Endpoint(),
		Latency: cmp.Or(n.client.Latency(), n.server.Latency()),
	}
	if token := owner.Sole(n.made()); token != "" {
		link.Owner = &Ownership{Origin: owner.OriginFor(n.made(), token), Complete: !n.isUnfinished(token)}
	}
	if a.readings[i].Err != nil || a.readings[j].Err != nil {
		link.Status = Unknown
	}
	return link, link.MadeBy != ""
}

func (a atlas) cluster(i int) Cluster { return Cluster{Name: a.readings[i].Name, ID: a.id(i)} }

func (a atlas) peered(i, j int) bool {
	return a.readings[i].peerings[a.id(j)] != nil || a.readings[j].peerings[a.id(i)] != nil
}

// peering returns the peering of two leaves. At least one of them must have a record of it.
func (a atlas) peering(i, j int) Peering {
	forward, back := a.consumes(i, j), a.consumes(j, i)
	if back && !forward {
		i, j = j, i
	}
	return Peering{Consumer: a.cluster(i), Provider: a.cluster(j), BothWays: forward == back}
}

// consumes reports whether, by either leaf's record, consumer uses provider's resources.
func (a atlas) consumes(consumer, provider int) bool {
	atConsumer := a.readings[consumer].peerings[a.id(provider)]
	atProvider := a.readings[provider].peerings[a.id(consumer)]
	return (atConsumer != nil && fcutils.IsProvider(atConsumer.Status.Role)) ||
		(atProvider != nil && fcutils.IsConsumer(atProvider.Status.Role))
}
