package kubelet

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/event"
)

// Values is the behaviour of one cluster at one moment.
type Values struct {
	// LoadBalancer reports whether Services of type LoadBalancer get an address.
	LoadBalancer bool
	// PullImage reports whether images of new pods can be pulled.
	PullImage bool
	// Connect reports whether packets of tunnels pass.
	Connect bool
	// Mute reports whether gateways have stopped reporting on their tunnels, like gateways that are
	// cut off from their API server. It affects the simulated data plane.
	Mute bool
	// GatewayReadyAfter is the time from the scheduling of any other pod until it is ready.
	GatewayReadyAfter time.Duration
	// PodStartedAfter is the time from the scheduling of a pod that runs commands until they run.
	PodStartedAfter time.Duration
	// PodReportedAfter is the time from the start of a pod that runs commands until it is reported as running, with its
	// address. A real kubelet looks for containers that have started once a second. Meanwhile, nobody else knows the
	// pod: Liqo makes no route to it, and what is sent to it takes the pod network.
	PodReportedAfter time.Duration
	// GatewayReportedAfter is the same for every other pod, and so for a gateway's, which already does its work.
	GatewayReportedAfter time.Duration
	// LostNodes are the nodes that are cut off from everything, with their kubelets and pods. What runs on them goes on.
	LostNodes []string
}

// NodeNames returns the names in a value of `lost-nodes`, which is empty for none.
func NodeNames(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' })
}

// Settings is the Values of one cluster over time. It is safe for concurrent use.
type Settings struct {
	mu        sync.Mutex
	values    Values
	listeners map[chan event.GenericEvent]struct{}
}

// NewSettings returns Settings with these values.
func NewSettings(values Values) *Settings {
	return &Settings{values: values, listeners: map[chan event.GenericEvent]struct{}{}}
}

// Get returns the values as they are now.
func (s *Settings) Get() Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values
}

// Set changes one value by the name that users type. The error lists the valid names or values.
func (s *Settings) Set(key, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.values
	switches := map[string]*bool{
		"load-balancer": &v.LoadBalancer, "pull-image": &v.PullImage, "connect": &v.Connect, "mute": &v.Mute,
	}
	delays := map[string]*time.Duration{
		"gateway-ready-after": &v.GatewayReadyAfter, "gateway-reported-after": &v.GatewayReportedAfter,
		"pod-started-after": &v.PodStartedAfter, "pod-reported-after": &v.PodReportedAfter,
	}
	var err error
	switch {
	case switches[key] != nil:
		*switches[key], err = strconv.ParseBool(value)
	case delays[key] != nil:
		*delays[key], err = time.ParseDuration(value)
	case key == "lost-nodes":
		v.LostNodes = NodeNames(value)
	default:
		return fmt.Errorf("unknown setting %q", key)
	}
	if err != nil {
		return fmt.Errorf("%s=%s: true, false or a duration such as 5s is needed: %w", key, value, err)
	}
	s.values = v
	for listener := range s.listeners {
		select {
		case listener <- event.GenericEvent{}:
		default: // one is waiting there already
		}
	}
	return nil
}

// Listen returns a channel with an event after every change, until ctx ends. Changes in quick
// succession may share an event.
func (s *Settings) Listen(ctx context.Context) <-chan event.GenericEvent {
	s.mu.Lock()
	defer s.mu.Unlock()
	listener := make(chan event.GenericEvent, 1)
	s.listeners[listener] = struct{}{}
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.listeners, listener)
	})
	return listener
}

// awaitNode returns when a node is not lost. It fails if ctx ends before.
func (s *Settings) awaitNode(ctx context.Context, name string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	changes := s.Listen(ctx)
	for slices.Contains(s.Get().LostNodes, name) {
		select {
		case <-changes:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
