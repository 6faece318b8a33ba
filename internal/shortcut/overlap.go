package shortcut

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
)

// Overlaps predicts which pod CIDRs Liqo will remap if the leaves announce these ranges.
func (s *Shortcut) Overlaps(ctx context.Context, client, server end.Announcement) ([]end.Overlap, error) {
	var atClient, atServer []end.Overlap
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		networks, err := s.Server.Announce(ctx, server)
		if err == nil {
			atClient, err = s.Client.Overlaps(ctx, networks)
		}
		return err
	})
	group.Go(func() error {
		networks, err := s.Client.Announce(ctx, client)
		if err == nil {
			atServer, err = s.Server.Overlaps(ctx, networks)
		}
		return err
	})
	err := group.Wait()
	return append(atClient, atServer...), err
}
