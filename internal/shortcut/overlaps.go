package shortcut

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// Overlaps predicts which pod CIDRs Liqo will remap, given what the leaves are told of each other.
func (s *Shortcut) Overlaps(ctx context.Context, client, server Announcement) ([]Overlap, error) {
	var atClient, atServer []Overlap
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		networks, err := s.server.Announce(ctx, server)
		if err == nil {
			atClient, err = s.client.overlaps(ctx, networks)
		}
		return err
	})
	group.Go(func() error {
		networks, err := s.client.Announce(ctx, client)
		if err == nil {
			atServer, err = s.server.overlaps(ctx, networks)
		}
		return err
	})
	err := group.Wait()
	return append(atClient, atServer...), err
}
