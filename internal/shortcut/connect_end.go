package shortcut

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// The functions in this file return steps that apply the spec at one end.

func (s *Shortcut) takeAt(on *end.End, spec Spec, turn *turn) func(context.Context) error {
	return func(ctx context.Context) error {
		turn.wrote.Store(true)
		return s.take(ctx, on, spec, turn.unfinished)
	}
}

func (s *Shortcut) announce(on *end.End, spec EndSpec) func(context.Context) (liqo.Ranges, error) {
	return func(ctx context.Context) (liqo.Ranges, error) { return s.Announce(ctx, on, spec.Announcement) }
}

func (s *Shortcut) compareClient(spec Spec) func(ctx context.Context, namespace string) (bool, error) {
	return func(ctx context.Context, namespace string) (bool, error) {
		return s.replacesClient(ctx, namespace, spec.Client)
	}
}

func (s *Shortcut) compareServer(spec Spec) func(ctx context.Context, namespace string) (bool, error) {
	return func(ctx context.Context, namespace string) (bool, error) {
		return s.replacesServer(ctx, namespace, spec.Server)
	}
}

// untilFormerKeysGone reads no Secret if someone else shares the keys.
func untilFormerKeysGone(
	on *end.End, spec Spec, at EndSpec,
) func(context.Context) (*metav1.PartialObjectMetadata, error) {
	return func(ctx context.Context) (*metav1.PartialObjectMetadata, error) {
		if spec.KeysByOthers {
			return nil, nil //nolint:nilnil // nothing was read
		}
		return on.UntilFormerKeysGone(ctx, at.Namespace)
	}
}

func ensureServer(
	on *end.End, spec Spec,
) func(context.Context, string, *metav1.PartialObjectMetadata) (end.EnsuredGateway, error) {
	return func(
		ctx context.Context, namespace string, keys *metav1.PartialObjectMetadata,
	) (end.EnsuredGateway, error) {
		return on.EnsureGatewayServer(ctx, namespace, spec.Server, keys)
	}
}

func ensureClient(
	on *end.End, spec Spec,
) func(context.Context, string, liqo.Endpoint, *metav1.PartialObjectMetadata) (end.EnsuredGateway, error) {
	return func(
		ctx context.Context, namespace string, server liqo.Endpoint, keys *metav1.PartialObjectMetadata,
	) (end.EnsuredGateway, error) {
		return on.EnsureGatewayClient(ctx, namespace, server, spec.Client, keys)
	}
}

func waitForRemapping(on *end.End, spec Spec) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := on.WaitForRemapping(ctx, spec.ForbidRemapping); err != nil {
			return err
		}
		return on.RenewRanges(ctx)
	}
}

func complete(on *end.End, spec Spec) func(context.Context) error {
	return func(ctx context.Context) error { return on.RecordComplete(ctx, spec.waits()) }
}
