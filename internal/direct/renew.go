package direct

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// timeToRestore limits the time to give back the requests of others.
const timeToRestore = 15 * time.Second

// renew withdraws the request until the leaves reach all pods through the centre, so that Liqo on the leaves looks at
// the Service again when the request is back. Liqo does not do so when the network of two leaves changes.
//
// The annotation must have another value meanwhile, so Kubernetes forgets who else has set it. Unless the owner claims
// it, renew sets it again for each of them. It fails, and changes nothing, if it can't.
func (s *Service) renew(ctx context.Context, owner Owner, request Request, members []*member) error {
	var others []setter
	if !owner.Claims {
		others = slices.DeleteFunc(request.setters(), func(one setter) bool { return one.manager == owner.manager() })
	}
	if err := s.checkRestorable(others); err != nil {
		return err
	}
	if _, err := s.write(ctx, owner, request, refused); err != nil {
		return err
	}
	err := s.together(members, func(m *member) error { return m.untilNotified(ctx, false) })
	if err == nil {
		err = s.untilBack(ctx, members)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeToRestore)
	defer cancel()
	return errors.Join(err, s.restore(ctx, request, others))
}

// checkRestorable returns an error that names those who have set the annotation by server-side apply. Only they know
// which other fields they apply together with it.
func (s *Service) checkRestorable(others []setter) error {
	var appliers []string
	for _, one := range others {
		if one.applies && !strings.HasPrefix(one.manager, managerPrefix) {
			appliers = append(appliers, one.manager)
		}
	}
	if len(appliers) == 0 {
		return nil
	}
	return &trouble.Problem{
		ID: "service-not-renewable", Leaf: s.Centre.Name, Refused: true,
		Summary: s.String() + " can't be renewed",
		Evidence: []string{fmt.Sprintf("A network of two leaves has changed. Liqo looks at the Service again only if its "+
			"annotation %s changes, and %s applies the annotation, too. Nothing was changed.",
			annotation, DescribeManagers(appliers))},
		Advice: "Let only one of them request direct connections: remove the annotation there, or remove this resource. " +
			"Or set the annotation there to \"false\" until no leaf uses direct addresses, and then back to \"true\".",
	}
}

// restore sets the annotation again for those who had set it.
func (s *Service) restore(ctx context.Context, request Request, others []setter) error {
	var failures []error
	for _, one := range others {
		if token, ours := strings.CutPrefix(one.manager, managerPrefix); ours {
			_, err := s.write(ctx, Owner{Token: token}, request, requested)
			failures = append(failures, err)
		} else {
			failures = append(failures, s.patch(ctx, request, fmt.Sprintf("%q", requested), one.manager))
		}
	}
	return errors.Join(failures...)
}
