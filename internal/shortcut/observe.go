package shortcut

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// State is the observed state of a shortcut.
type State struct {
	Exists bool // whether either leaf holds anything of the owner's
	Joined bool // whether either leaf holds a network of the pair, whoever owns it
	Status Status
	Silent bool // whether a gateway that once reported the tunnel as up has stopped to report

	// Duplicates name further objects of the pair that are not the owner's. Liqo does not support two of a kind.
	Duplicates []string

	// Strays name objects of the network that another resource has marked as its own, see [Shortcut.Strays].
	Strays []string

	// Unmarked means that the owner claims an object that does not have its mark yet.
	Unmarked bool

	Client, Server EndState

	// Allow is what may cross as both ends enforce it. It is nil if everything may, or if an end does not enforce what the
	// other one does. The latter makes the shortcut disconnected. Limited tells them apart: whether an end has rules, or
	// had them when its gateway was written.
	Allow   *Allow
	Limited bool

	ServerGateway  *liqo.GatewaySettings // as the server's gateway is; nil while there is none
	ServerEndpoint *liqo.Endpoint        // where the server's gateway says it can be reached; nil until it does

	// ClientGateway has the settings of the client's gateway. It is nil if there is none. Its address and port are the
	// first ones that the gateway dials, whether they are its own settings or the server's.
	ClientGateway *liqo.GatewaySettings
}

// EndState is one end of a [State].
type EndState struct {
	ClusterID  liqov1beta1.ClusterID
	ClusterUID types.UID
	Namespace  string // where the leaf keeps the objects of this shortcut; empty while there is none

	LiqoNamespace string // where Liqo runs on the leaf
	Network       liqo.RemoteRanges
}

// Observe returns the state of the shortcut. It reads the leaves' caches, so it can be called often without load on the
// API servers. It asks the API servers only to confirm that nothing is left, or that a gateway has stopped reporting. A
// cache may show nothing because its watch was cut, or because an object was written just now.
func (s *Shortcut) Observe(ctx context.Context) (State, error) {
	n, err := s.observe(ctx)
	if err != nil {
		return State{}, err
	}
	state := s.state(n)
	if state.Exists {
		return state, nil
	}
	left, err := s.askLeaves(ctx)
	if err != nil {
		return State{}, err
	}
	if n, err = s.observe(ctx); err != nil {
		return State{}, err
	}
	state = s.state(n)
	state.Exists = state.Exists || left.own || left.record && !state.Joined
	return state, nil
}

// askLeaves waits until the caches are up to date, and asks for what they do not hold.
func (s *Shortcut) askLeaves(ctx context.Context) (left leftovers, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.catchUp(ctx) })
	group.Go(func() (err error) { left, err = s.leftovers(ctx); return err })
	err = group.Wait()
	return left, err
}

// catchUp waits until the caches show the network as the API servers have it now.
func (s *Shortcut) catchUp(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, e := range s.Ends() {
		group.Go(func() error { return liqo.CatchUp(ctx, e.Leaf, e.Remote.ID) })
	}
	return group.Wait()
}

// state returns the state of the shortcut from its objects.
func (s *Shortcut) state(n network) State {
	client, server := n.client, n.server
	return State{
		Exists:         end.BelongsTo(client, s.Client.Owner) || end.BelongsTo(server, s.Server.Owner),
		Joined:         len(n.made()) > 0,
		Duplicates:     append(duplicates(s.Client, client), duplicates(s.Server, server)...),
		Strays:         s.strays(n),
		Unmarked:       slices.ContainsFunc(n.made(), s.Client.Owner.OnlyClaims),
		Status:         n.status(),
		Allow:          n.allow(),
		Limited:        client.HasLimits() || server.HasLimits(),
		Silent:         !client.SilentSince.IsZero() || !server.SilentSince.IsZero(),
		Client:         endState(s.Client, client, server.ObservedRemote()),
		Server:         endState(s.Server, server, client.ObservedRemote()),
		ServerGateway:  server.ObservedGateway(liqo.ServerRole),
		ServerEndpoint: server.Endpoint(),
		ClientGateway:  client.ObservedGateway(liqo.ClientRole),
	}
}

// duplicates returns the names of further objects at an end that are not the owner's.
func duplicates(e *end.End, objects liqo.Objects) []string {
	var names []string
	for _, object := range objects.Extra {
		if !e.Owner.Owns(object) && !objects.IsTunnel(object) {
			names = append(names, fmt.Sprintf("%s on leaf %q", e.Leaf.Describe(object), e.Leaf.Name))
		}
	}
	return names
}

// endState returns one end of the state. Its network is the one announced to the other leaf.
func endState(e *end.End, objects liqo.Objects, remote liqo.RemoteRanges) EndState {
	return EndState{
		ClusterID: e.Leaf.ID, ClusterUID: e.Leaf.UID, LiqoNamespace: e.Leaf.LiqoNamespace,
		Namespace: objects.Namespace(), Network: remote,
	}
}

// leftovers are what a removal deletes last. While there is one, an interrupted removal has to continue.
type leftovers struct {
	own    bool // the tenant namespace that was created for this shortcut, or the lease of a killed operation
	record bool // Liqo's record of the other cluster, which is also there for a network of someone else
}

// leftovers asks the leaves for what is left. It returns an error only if nothing of the owner's is known to be left.
func (s *Shortcut) leftovers(ctx context.Context) (left leftovers, err error) {
	questions := []func() (leftovers, error){func() (leftovers, error) {
		leased, err := hasLease(ctx, s.first())
		return leftovers{own: leased}, err
	}}
	for _, e := range s.Ends() {
		questions = append(questions, func() (leftovers, error) { return leftoversAt(ctx, e) })
	}
	var errs []error
	for at, err := range parallel.Ask(questions, func(ask func() (leftovers, error)) (leftovers, error) { return ask() }) {
		left = leftovers{left.own || at.own, left.record || at.record}
		errs = append(errs, err)
	}
	if left.own {
		return left, nil
	}
	return left, errors.Join(errs...)
}

// leftoversAt asks an end for its tenant namespace and, unless someone else made that namespace and so has the record,
// too, for Liqo's record of the other cluster.
func leftoversAt(ctx context.Context, e *end.End) (left leftovers, err error) {
	var (
		recordErr error
		group     sync.WaitGroup
	)
	group.Go(func() { left.record, recordErr = e.HasUnusedForeignCluster(ctx) })
	namespace, err := e.TenantNamespace(ctx)
	group.Wait()
	switch {
	case err != nil:
		return leftovers{}, err
	case namespace != nil:
		return leftovers{own: e.Owner.MayRemove(namespace)}, nil
	default:
		return left, recordErr
	}
}

// HasOwn reports whether a leaf has an object or a tenant namespace that is marked as the owner's. Other than what
// [State] says of an existing shortcut, it leaves out what belongs to nobody. It trusts the caches.
func (s *Shortcut) HasOwn(ctx context.Context) (bool, error) {
	return anyOf(ctx, s.Client.HasOwn, s.Server.HasOwn)
}

// question asks a leaf whether something is so.
type question func(context.Context) (bool, error)

// anyOf asks all questions at the same time, and reports whether one of the answers is yes. Without one, it returns the
// errors.
func anyOf(ctx context.Context, questions ...question) (bool, error) {
	var errs []error
	for yes, err := range parallel.Ask(questions, func(ask question) (bool, error) { return ask(ctx) }) {
		if yes {
			return true, nil
		}
		errs = append(errs, err)
	}
	return false, errors.Join(errs...)
}

// WhyDown asks both leaves why the tunnel is not up although all objects of the shortcut are in place. It mentions what
// it can't read, and continues.
func (s *Shortcut) WhyDown(ctx context.Context) *trouble.Problem {
	return explain.Down(ctx, s.Client.Subject(), s.Server.Subject())
}
