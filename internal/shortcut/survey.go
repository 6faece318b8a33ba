package shortcut

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	fcutils "github.com/liqotech/liqo/pkg/utils/foreigncluster"
	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
)

// Survey shows how a number of leaves are joined with each other.
type Survey struct {
	Leaves []Leaf // each cluster once, sorted by name
	Links  []Link // one for two leaves that anything joins, sorted by the client's and the server's name
}

// Networks returns the links with a network, in the same order.
func (s Survey) Networks() []Link {
	return slices.DeleteFunc(slices.Clone(s.Links), func(link Link) bool { return link.MadeBy == "" })
}

// Leaf is one of the leaves of a survey.
type Leaf struct {
	Name      string
	ClusterID string // Liqo's; empty if Err is set
	Err       error  // why the leaf could not be read
}

// Cluster is one of the two clusters of a link.
type Cluster struct {
	Name string // the user's name for it
	ID   string // Liqo's, as the other cluster knows it
}

// Link is what joins two leaves: a network, a peering, or both. Without a network, only its clusters and its peering
// are set.
type Link struct {
	Client, Server Cluster  // the client dials, the server exposes the gateway; without a gateway, sorted by name
	Peering        *Peering // nil if the two are not peered

	Status         Status         // Unknown if one of the two leaves could not be read
	MadeBy         Maker          // empty if there is no network
	Owners         []Ownership    // the resources of this provider that own objects of it, who has most objects first
	MTU            int            // in bytes; 0 while there is no gateway
	ServerEndpoint *liqo.Endpoint // nil while there is none
	Latency        *liqo.Latency  // as the client has measured it, else the server; nil if neither has
	LimitedAt      []string       // names of the clusters whose gateways limit what may cross, the client's first
}

// Ownership is what the leaves record about a resource that owns objects of a network.
type Ownership struct {
	Token    string
	Resource owner.Resource // empty for a shortcut
	Origin   owner.Origin   // empty if nothing records it: of a shortcut's objects, only the Configurations do
	Complete bool           // false during a create, and after a killed one
	Objects  []string       // their names, with the leaf of each
}

// Peering lets one cluster use another's resources.
type Peering struct {
	Consumer, Provider string // names of the two clusters
	BothWays           bool   // each is the other's consumer, or Liqo does not know the roles yet
}

// Ask connects a leaf by its name and asks it a question at the same time, as [cluster.Registry.Ask] does.
type Ask func(
	ctx context.Context, name string, question func(context.Context, *cluster.Leaf) error,
) (*cluster.Leaf, error)

// NewSurvey surveys the leaves with these names, all at the same time. The survey has the error of a leaf that can't be
// read, and still has the other leaves. The links of an unreadable leaf appear if its name is also its cluster ID. If
// several names stand for one cluster, the first name counts. The cost grows with the number of leaves, not with the
// number of their networks.
func NewSurvey(ctx context.Context, names []string, ask Ask) Survey {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	leaves := parallel.Map(names, func(name string) surveyedLeaf { return surveyLeaf(ctx, name, ask) })
	return newLeafIndex(leaves).survey()
}

// surveyedLeaf is the result of reading one leaf: its networks and peerings, by the ID of the other cluster, and the
// creates that its Leases list.
type surveyedLeaf struct {
	Leaf
	networks   map[string]liqo.Objects
	peerings   map[string]*liqov1beta1.ForeignCluster
	unfinished owner.Unfinished
	describe   func(client.Object) string // as [cluster.Leaf.Describe]
}

func surveyLeaf(ctx context.Context, name string, ask Ask) surveyedLeaf {
	var surveyed surveyedLeaf
	leaf, err := ask(ctx, name, func(ctx context.Context, leaf *cluster.Leaf) error {
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() (err error) { surveyed.peerings, err = end.Peerings(ctx, leaf); return err })
		group.Go(func() (err error) { surveyed.unfinished, err = end.UnfinishedAt(ctx, leaf); return err })
		return group.Wait()
	})
	if err == nil {
		surveyed.networks, err = end.ObserveNetworks(ctx, leaf, owner.Owner{})
	}
	if err != nil {
		return surveyedLeaf{Leaf: Leaf{Name: name, Err: err}}
	}
	surveyed.Leaf, surveyed.describe = Leaf{Name: name, ClusterID: string(leaf.ID)}, leaf.Describe
	return surveyed
}

// leafIndex finds leaves by their cluster IDs.
type leafIndex struct {
	leaves []surveyedLeaf
	byID   map[string]int // index in leaves
}

func newLeafIndex(leaves []surveyedLeaf) leafIndex {
	x := leafIndex{byID: map[string]int{}}
	for _, one := range leaves {
		if _, twice := x.byID[one.ClusterID]; twice && one.Err == nil {
			continue // another name for the same cluster
		}
		if one.Err == nil {
			x.byID[one.ClusterID] = len(x.leaves)
		}
		x.leaves = append(x.leaves, one)
	}
	for i, one := range x.leaves {
		if _, taken := x.byID[one.Name]; one.Err != nil && !taken {
			x.byID[one.Name] = i // the name is the best guess of the ID
		}
	}
	return x
}

// id returns the cluster ID of a leaf, or its name if the ID is unknown.
func (x leafIndex) id(i int) string { return cmp.Or(x.leaves[i].ClusterID, x.leaves[i].Name) }

// pairs returns the indices of each pair of leaves of which at least one has objects for the other, the lower index
// first.
func (x leafIndex) pairs() map[[2]int]struct{} {
	found := map[[2]int]struct{}{}
	for i, one := range x.leaves {
		for _, id := range slices.AppendSeq(slices.Collect(maps.Keys(one.networks)), maps.Keys(one.peerings)) {
			if j, ok := x.byID[id]; ok && j != i {
				found[[2]int{min(i, j), max(i, j)}] = struct{}{}
			}
		}
	}
	return found
}

func (x leafIndex) survey() Survey {
	var survey Survey
	for i := range x.leaves {
		survey.Leaves = append(survey.Leaves, x.leaves[i].Leaf)
	}
	for pair := range x.pairs() {
		if link := x.link(pair[0], pair[1]); link.Peering != nil || link.MadeBy != "" {
			survey.Links = append(survey.Links, link)
		}
	}
	slices.SortFunc(survey.Links, func(one, other Link) int {
		return cmp.Or(cmp.Compare(one.Client.Name, other.Client.Name), cmp.Compare(one.Server.Name, other.Server.Name))
	})
	return survey
}

// link returns what joins two leaves. Objects that Liqo itself removes are no network.
func (x leafIndex) link(i, j int) Link {
	n := network{
		client: x.leaves[i].networks[x.id(j)], server: x.leaves[j].networks[x.id(i)],
		unfinished: owner.Unfinished{},
	}
	for _, one := range []int{i, j} {
		maps.Copy(n.unfinished, x.leaves[one].unfinished)
	}
	peering := x.peering(i, j)
	if n.reversed() {
		i, j, n = j, i, n.reverse()
	}
	link := Link{
		Client: x.cluster(i), Server: x.cluster(j),
		Peering: peering, MadeBy: n.madeBy(peering != nil),
		MTU: cmp.Or(n.server.TunnelSettings().MTU, n.client.TunnelSettings().MTU), ServerEndpoint: n.server.Endpoint(),
		Latency: cmp.Or(n.client.Latency(), n.server.Latency()), Owners: x.owners(i, j, n),
	}
	if n.client.HasLimits() {
		link.LimitedAt = append(link.LimitedAt, link.Client.Name)
	}
	if n.server.HasLimits() {
		link.LimitedAt = append(link.LimitedAt, link.Server.Name)
	}
	switch {
	case link.MadeBy == "": // nothing has a status
	case x.leaves[i].Err != nil || x.leaves[j].Err != nil:
		link.Status = Unknown
	default:
		link.Status = n.status()
	}
	return link
}

// owners returns who owns objects of a network. The client is i, and the server is j.
func (x leafIndex) owners(i, j int, n network) []Ownership {
	var owners []Ownership
	add := func(leaf surveyedLeaf, objects liqo.Objects) {
		for _, object := range objects.Made() {
			token, resource := owner.TokenOf(object), owner.ResourceOf(object)
			if token == "" {
				continue
			}
			known := slices.IndexFunc(owners, func(one Ownership) bool {
				return one.Token == token && one.Resource == resource
			})
			if known < 0 {
				known = len(owners)
				owners = append(owners, Ownership{
					Token: token, Resource: resource, Complete: !n.isUnfinished(token),
					Origin: cmp.Or(originOf(object, n.made()), n.unfinished[token].Origin),
				})
			}
			owners[known].Objects = append(owners[known].Objects,
				fmt.Sprintf("%s on leaf %q", leaf.describe(object), leaf.Name))
		}
	}
	add(x.leaves[i], n.client)
	add(x.leaves[j], n.server)
	slices.SortStableFunc(owners, func(one, other Ownership) int {
		return cmp.Compare(len(other.Objects), len(one.Objects))
	})
	return owners
}

func (x leafIndex) cluster(i int) Cluster { return Cluster{Name: x.leaves[i].Name, ID: x.id(i)} }

// peering returns the peering of two leaves, or nil if neither has a record of it.
func (x leafIndex) peering(i, j int) *Peering {
	if x.leaves[i].peerings[x.id(j)] == nil && x.leaves[j].peerings[x.id(i)] == nil {
		return nil
	}
	forward, back := x.consumes(i, j), x.consumes(j, i)
	if back && !forward {
		i, j = j, i
	}
	return &Peering{Consumer: x.leaves[i].Name, Provider: x.leaves[j].Name, BothWays: forward == back}
}

// consumes reports whether, by either leaf's record, consumer uses provider's resources.
func (x leafIndex) consumes(consumer, provider int) bool {
	atConsumer := x.leaves[consumer].peerings[x.id(provider)]
	atProvider := x.leaves[provider].peerings[x.id(consumer)]
	return (atConsumer != nil && fcutils.IsProvider(atConsumer.Status.Role)) ||
		(atProvider != nil && fcutils.IsConsumer(atProvider.Status.Role))
}
