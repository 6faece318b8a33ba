package shortcut

import (
	"cmp"
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Repair says what an apply would repair, although its settings are as before.
type Repair struct {
	Needed   bool
	Outdated []*trouble.Problem // what is a part of it, but does not show in the status
	Err      error              // why something could not be found out; the rest is valid
}

// Repair says what [Shortcut.Connect] would repair of a shortcut that was observed to have this status, which is not
// [Disconnected]: that always needs a repair. If everything is in place and only the tunnel is down, it is nothing. It
// asks the leaves only if the tunnel is down, or if a gateway has a derived template.
func (s *Shortcut) Repair(ctx context.Context, status Status) Repair {
	questions := []question{s.hasStrays, s.unrecorded, s.isBeingDeleted}
	if status != Connected {
		questions = append(questions, s.lost)
	}
	var repair Repair
	for _, ask := range questions {
		if !repair.Needed {
			needed, err := ask(ctx)
			repair = Repair{Needed: needed, Err: cmp.Or(repair.Err, err)}
		}
	}
	return repair.withOutdated(ctx, s.Ends()...)
}

// Repair says what an Ensure function would repair of an object: a gateway that is marked for deletion, or rules that
// someone has edited or removed. It asks the leaf only if its gateway has a derived template.
func (o EndObject) Repair(ctx context.Context) Repair {
	objects, err := o.End.Find(ctx)
	object := end.ObjectOf(objects, o.End.Owner.Resource)
	repair := Repair{Needed: objects.LimitsEdited() || object != nil && end.Leaving(object), Err: err}
	return repair.withOutdated(ctx, o.End)
}

// withOutdated adds what is out of date at these ends. A failure leaves what is known.
func (r Repair) withOutdated(ctx context.Context, ends ...*end.End) Repair {
	type outdated struct {
		problems []*trouble.Problem
		err      error
	}
	for _, at := range parallel.Map(ends, func(e *end.End) outdated {
		template, templateErr := e.OutdatedTemplate(ctx)
		rules, rulesErr := e.OutdatedLimits(ctx)
		return outdated{[]*trouble.Problem{template, rules}, cmp.Or(templateErr, rulesErr)}
	}) {
		r.Outdated, r.Err = append(r.Outdated, at.problems...), cmp.Or(r.Err, at.err)
	}
	r.Outdated = slices.DeleteFunc(r.Outdated, func(problem *trouble.Problem) bool { return problem == nil })
	r.Needed = r.Needed || len(r.Outdated) > 0
	return r
}

func (s *Shortcut) hasStrays(ctx context.Context) (bool, error) {
	n, err := s.find(ctx)
	return len(s.strays(n)) > 0, err
}

// unrecorded reports whether others could take the network for theirs: a create or an update that was killed has not
// recorded that it is complete, or an import has found objects of resources for one end.
func (s *Shortcut) unrecorded(ctx context.Context) (bool, error) {
	n, err := s.find(ctx)
	self, made := s.Client.Owner, n.made()
	begun := slices.ContainsFunc(made, self.Marked) && !n.complete(self.Token)
	return begun || slices.ContainsFunc(made, func(object client.Object) bool {
		return owner.IsEndObject(object) && self.OnlyClaims(object)
	}), err
}

// isBeingDeleted reports whether someone has marked an object of the owner's for deletion.
func (s *Shortcut) isBeingDeleted(ctx context.Context) (bool, error) {
	n, err := s.find(ctx)
	return slices.ContainsFunc(n.made(), func(object client.Object) bool {
		return end.Leaving(object) && s.Client.Owner.Owns(object)
	}), err
}

// lost reports whether a shortcut whose tunnel is down lacks something that its [Status] does not show: the Service of
// the server's gateway, a gateway's keys, or a Connection.
func (s *Shortcut) lost(ctx context.Context) (bool, error) {
	n, err := s.observe(ctx)
	if err != nil || n.client.GatewayAs(liqo.ClientRole) == nil || n.server.GatewayAs(liqo.ServerRole) == nil {
		return false, err
	}
	if end.ConnectionLost(n.client) || end.ConnectionLost(n.server) {
		return true, nil
	}
	return anyOf(ctx,
		func(ctx context.Context) (bool, error) { return s.Server.ServiceLost(ctx, n.server) },
		func(ctx context.Context) (bool, error) {
			return s.Client.HasOutdatedKey(ctx, n.client, n.server.PublicKey)
		},
		func(ctx context.Context) (bool, error) {
			return s.Server.HasOutdatedKey(ctx, n.server, n.client.PublicKey)
		})
}
