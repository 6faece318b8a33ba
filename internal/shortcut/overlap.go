package shortcut

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// Overlaps predicts which pod CIDRs Liqo will remap if the client and the server announce these ranges.
func (s *Shortcut) Overlaps(ctx context.Context, announced [2]liqo.Ranges) ([]end.Overlap, error) {
	var atClient, atServer []end.Overlap
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { atClient, err = s.Client.Overlaps(ctx, announced[1]); return err })
	group.Go(func() (err error) { atServer, err = s.Server.Overlaps(ctx, announced[0]); return err })
	err := group.Wait()
	return append(atClient, atServer...), err
}

// Announce returns the address ranges of a leaf to announce to its peer. See [end.End.Announce] and
// [end.End.CheckAnnounced] for its errors.
func (s *Shortcut) Announce(
	ctx context.Context, e *end.End, announcement end.Announcement,
) (liqo.Ranges, error) {
	other := s.other(e)
	objects, err := other.Find(ctx)
	if err != nil {
		return liqo.Ranges{}, err
	}
	announced, err := e.Announce(ctx, announcement, objects.ObservedRemote())
	if err != nil {
		return announced, err
	}
	return announced, other.CheckAnnounced(ctx, announced, objects.ObservedRemote())
}
