package direct

import (
	"context"
	"slices"

	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// State is what the centre and its leaves show about a Service.
type State struct {
	Request

	Leaves []LeafState // into which the centre offloads the Service's namespace, sorted by the cluster ID

	Closed       []*trouble.Problem // ports of the pods to which what may cross lets no connections
	LimitsUnread error              // why this is not known of all leaves
}

// LeafState is what one leaf shows.
type LeafState struct {
	Name      string // of the leaf; its cluster ID if the leaf is not known
	Err       error  // why the leaf could not be read; then it has no endpoints
	Endpoints []Endpoint
	Obstacles []Obstacle // that keep it from following, each once
}

// Status says in one word how far the leaves follow the request.
type Status string

// The values of [Status].
const (
	Followed Status = "Direct"   // every leaf reaches the pods in other leaves directly
	Partial  Status = "Partial"  // at least one leaf can't follow, or can't be read
	Outdated Status = "Outdated" // at least one leaf can follow and has not; an apply makes it do so
	Undone   Status = "Undone"   // the Service does not request direct connections
)

// Status returns how far the leaves follow the request.
func (s State) Status() Status {
	if !s.Set {
		return Undone
	}
	status := Followed
	for _, leaf := range s.Leaves {
		if leaf.Err != nil {
			status = Partial
		}
		for _, endpoint := range leaf.Endpoints {
			switch standing := endpoint.standing; {
			case standing.needsRenewal():
				return Outdated
			case standing != settled && standing != untold: // a new pod needs no apply
				status = Partial
			}
		}
	}
	return status
}

// StatusAfter returns the status of a Service that had another one before. A leaf that can't be read does not make it
// better: what was outdated is still to be renewed.
func (s State) StatusAfter(before Status) Status {
	unread := slices.ContainsFunc(s.Leaves, func(leaf LeafState) bool { return leaf.Err != nil })
	if status := s.Status(); status != Partial || before != Outdated || !unread {
		return status
	}
	return Outdated
}

// Observe reads the Service from the centre, and its endpoints from all leaves in parallel. A leaf that can't be read
// is not an error. If there is no such Service, the state is that of no request.
func (s *Service) Observe(ctx context.Context) (State, error) {
	state, _, err := s.observe(ctx)
	return state, err
}

// observe also returns the leaves, in the same order as in the state.
func (s *Service) observe(ctx context.Context) (State, []*member, error) {
	request, err := s.read(ctx)
	if err != nil || !request.Exists {
		return State{}, nil, err
	}
	pods, err := s.pods(ctx)
	if err != nil {
		return State{}, nil, err
	}
	members, err := s.members(ctx)
	if err != nil {
		return State{}, nil, err
	}
	leaves := parallel.Map(members, func(m *member) LeafState { return m.observe(ctx, pods, request.Set) })
	state := State{Request: request, Leaves: leaves}
	state.Closed, state.LimitsUnread = s.closedPorts(ctx, members, pods)
	return state, members, nil
}

// members connects the leaves into which the centre offloads the Service's namespace, all in parallel.
func (s *Service) members(ctx context.Context) ([]*member, error) {
	destinations, err := s.destinations(ctx)
	if err != nil {
		return nil, err
	}
	names := map[string]string{string(s.Centre.ID): s.Centre.Name}
	members := parallel.Map(destinations, func(destination destination) *member {
		m := &member{destination: destination, service: s, names: names}
		m.leaf, m.err = s.leafByID(ctx, destination.id)
		return m
	})
	for _, m := range members {
		if m.err == nil {
			names[m.id] = m.leaf.Name
		}
	}
	return members, nil
}

// observe reads the leaf.
func (m *member) observe(ctx context.Context, pods []pod, requested bool) LeafState {
	state := LeafState{Name: m.name(), Err: m.err}
	if m.err != nil {
		return state
	}
	var list discoveryv1.EndpointSliceList
	if m.namespace != "" { // otherwise it has none
		if state.Err = m.leaf.List(ctx, &list, m.service.slices(m.namespace)...); state.Err != nil {
			return state
		}
	}
	var obstacles obstacles
	state.Endpoints, obstacles, state.Err = m.look(ctx, pods, list.Items, requested)
	state.Obstacles = obstacles.all()
	return state
}
