package direct

import (
	"context"
	"errors"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Request lets the owner request direct connections, and returns when every leaf that can follow has followed. If the
// request is there already and a leaf has not followed, Request makes Liqo look at the Service again. Before it writes
// anything, it fails if the Service does not exist or if a leaf that is known can't be read.
func (s *Service) Request(ctx context.Context, owner Owner) error {
	ctx = cluster.WithFence(ctx)
	state, members, err := s.observe(ctx)
	if err != nil {
		return err
	}
	if !state.Exists {
		return s.missing()
	}
	if err := state.readable(); err != nil {
		return err
	}
	if state.Status() == Outdated {
		if err := s.renew(ctx, owner, state.Request, members); err != nil {
			return err
		}
	}
	if _, err := s.write(ctx, owner, state.Request, requested); err != nil {
		return err
	}
	return s.untilFollowed(ctx, members)
}

// missing is the error for a Service that must exist.
func (s *Service) missing() error {
	return &trouble.Problem{
		ID: trouble.NoEntry, Leaf: s.Centre.Name, Summary: s.String() + " does not exist",
		Advice: "Nothing was changed. Create the Service first. If the same configuration creates it, refer to the " +
			"attributes of that resource or add `depends_on`.",
	}
}

// readable returns the errors of leaves that can't be read. Nobody waits for a leaf that is not known.
func (s State) readable() error {
	var all []error
	for _, leaf := range s.Leaves {
		if !Unknown(leaf.Err) {
			all = append(all, leaf.Err)
		}
	}
	return errors.Join(all...)
}

// Withdraw takes the owner's request back, and returns when no leaf uses direct addresses any more. If others request
// direct connections, too, it returns their field managers, and nothing changes on the leaves. Leaves that can't be
// read are in unchecked: they follow as soon as they can.
func (s *Service) Withdraw(ctx context.Context, owner Owner) (others []string, unchecked []LeafState, err error) {
	request, err := s.read(ctx)
	if err != nil || !request.Exists {
		return nil, nil, err
	}
	members, err := s.members(ctx)
	if err != nil {
		return nil, nil, err
	}
	if !owner.Claims {
		if request, err = s.write(ctx, owner, request, ""); err != nil {
			return nil, nil, err
		}
		if others = request.Others(owner); request.Set && len(others) > 0 {
			return others, nil, nil
		}
	}
	if request.Set { // the owner claims it, or Kubernetes has no record of who has set it
		if err := s.patch(ctx, request, "null", cluster.FieldManager); err != nil {
			return nil, nil, err
		}
	}
	for _, m := range members {
		if m.err != nil {
			unchecked = append(unchecked, LeafState{Name: m.name(), Err: m.err})
		}
	}
	return nil, unchecked, s.untilWithdrawn(ctx, members)
}

// untilWithdrawn returns when no leaf uses direct addresses any more. It also returns if the Service requests them
// again, as when Terraform destroys one resource for it while it creates another one, or if the Service goes.
func (s *Service) untilWithdrawn(ctx context.Context, members []*member) error {
	ctx, cancel := context.WithCancel(ctx)
	var superseded bool
	var watching sync.WaitGroup
	watching.Go(func() {
		service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: s.Name}}
		superseded = s.Centre.UntilObject(ctx, service, func(exists bool) bool {
			return !exists || requests(service)
		}) == nil
		if superseded { // without this watch, the wait goes on
			cancel()
		}
	})
	err := s.untilBack(ctx, members)
	cancel()
	watching.Wait()
	if superseded {
		return nil
	}
	return err
}

// together runs a function for all members that are connected, in parallel, and joins the errors.
func (s *Service) together(members []*member, do func(*member) error) error {
	connected := slices.DeleteFunc(slices.Clone(members), func(m *member) bool {
		return m.err != nil || m.namespace == ""
	})
	return errors.Join(parallel.Map(connected, do)...)
}
