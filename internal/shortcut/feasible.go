package shortcut

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// What is in this file is for plans: each check finds something that [Shortcut.Connect] would be refused for, and writes nothing. An error that is an [explain.Problem] says that it
// would; any other error, that the leaf does not tell.

// IsMissing reports whether a problem is that something does not exist which whoever applies has to make.
func IsMissing(err error) bool {
	_, ok := errors.AsType[*explain.Problem](err)
	return ok && apierrors.IsNotFound(err)
}

// CheckClientNamespace fails if the client can't keep the objects in the namespace that is asked for or, for an empty name, in its tenant namespace.
func (s *Shortcut) CheckClientNamespace(ctx context.Context, asked string) error {
	return s.client.checkNamespace(ctx, asked)
}

// CheckServerNamespace is described with [Shortcut.CheckClientNamespace].
func (s *Shortcut) CheckServerNamespace(ctx context.Context, asked string) error {
	return s.server.checkNamespace(ctx, asked)
}

func (s *side) checkNamespace(ctx context.Context, asked string) error {
	if asked == "" {
		return s.checkTenantName(ctx)
	}
	return s.checkOwnNamespace(ctx, asked)
}

// Keys are where a gateway takes its keys from.
type Keys struct {
	Secret    string // name of a Secret of the user's own; empty for keys that Liqo makes
	Namespace string // of the gateway; empty for the tenant namespace
	Adopt     bool   // whether a tenant namespace of somebody else's becomes the owner's
}

// CheckClientKeys fails if the client's gateway can't take its keys from a Secret.
func (s *Shortcut) CheckClientKeys(ctx context.Context, keys Keys) error {
	return s.client.checkKeys(ctx, keys)
}

// CheckServerKeys is described with [Shortcut.CheckClientKeys].
func (s *Shortcut) CheckServerKeys(ctx context.Context, keys Keys) error {
	return s.server.checkKeys(ctx, keys)
}

func (s *side) checkKeys(ctx context.Context, keys Keys) error {
	if keys.Secret == "" || keys.Namespace != "" {
		return s.checkKeySecret(ctx, keys.Namespace, keys.Secret)
	}
	tenant, err := s.tenantNamespace(ctx)
	switch {
	case err != nil:
		return err
	case tenant == nil:
		return s.secretNotKept(s.forgeTenantNamespace().Name, keys.Secret)
	case keys.Adopt:
		return s.secretNotKept(tenant.Name, keys.Secret)
	default:
		return s.checkKeySecret(ctx, tenant.Name, keys.Secret)
	}
}

// CheckClientRanges fails if Liqo can't join what the server will be told of the client's address ranges.
func (s *Shortcut) CheckClientRanges(ctx context.Context, end EndSpec) error {
	_, err := s.client.announce(end)(ctx)
	return err
}

// CheckServerRanges is described with [Shortcut.CheckClientRanges].
func (s *Shortcut) CheckServerRanges(ctx context.Context, end EndSpec) error {
	_, err := s.server.announce(end)(ctx)
	return err
}
