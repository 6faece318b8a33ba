package shortcut

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// EndObjectState is the observed state of an [EndObject], and of what Liqo shows for it.
type EndObjectState struct {
	Exists   bool   // whether the leaf has the object, and it is the owner's
	Unmarked bool   // whether the owner only claims it, and has not marked it yet
	Taken    string // a text that names the object if it is someone else's

	Namespace     string
	LiqoNamespace string // where Liqo runs on the leaf

	Network liqo.RemoteRanges // of a Configuration: the other cluster's

	Gateway  *liqo.GatewaySettings // of a gateway
	Endpoint *liqo.Endpoint        // where a server can be reached; nil if it is not known
	Allow    *Allow                // as this leaf's gateway enforces it; as [State.Allow]
	Limited  bool                  // as [State.Limited]
	Status   Status                // as this leaf's gateway reports it
	Silent   bool                  // whether the gateway once reported the tunnel as up, and has stopped to report

	// Key is the public key: of a gateway, its own; of a PublicKey, the other one's. It is nil before Liqo has created a
	// gateway's keys, and after somebody has deleted them.
	Key []byte
	// KeyUnreadable means that the leaf does not allow to read a gateway's key.
	KeyUnreadable bool
}

// Observe returns the state of the object. It reads the cache, and a gateway's public key live. If the cache says that
// the object is gone or someone else's, Observe asks the API server, because a cache whose watch was cut may show
// nothing.
func (o EndObject) Observe(ctx context.Context) (EndObjectState, error) {
	objects, err := o.End.Observe(ctx)
	resource := o.End.Owner.Resource
	if object := end.ObjectOf(objects, resource); err == nil && (object == nil || !o.End.Owner.Owns(object)) {
		if err = liqo.CatchUp(ctx, o.End.Leaf, o.End.Remote.ID); err == nil {
			objects, err = o.End.Observe(ctx)
		}
	}
	object := end.ObjectOf(objects, resource)
	if err != nil || object == nil {
		return EndObjectState{}, err
	}
	if !o.End.Owner.Owns(object) {
		return EndObjectState{Taken: fmt.Sprintf("%s on leaf %q", o.End.Leaf.Describe(object), o.End.Leaf.Name)}, nil
	}
	state := EndObjectState{
		Exists: true, Unmarked: o.End.Owner.OnlyClaims(object),
		Namespace: object.GetNamespace(), LiqoNamespace: o.End.Leaf.LiqoNamespace,
		Network: objects.ObservedRemote(), Status: statusAt(objects), Silent: !objects.SilentSince.IsZero(),
	}
	switch resource {
	case owner.ConfigurationResource:
	case owner.PublicKeyResource:
		state.Key = objects.PublicKey.Spec.PublicKey
	default:
		err = o.readGateway(ctx, objects, &state)
	}
	return state, err
}

// readGateway adds what the object shows if it is a gateway.
func (o EndObject) readGateway(ctx context.Context, objects liqo.Objects, state *EndObjectState) error {
	lost, err := o.End.ServiceLost(ctx, objects)
	if err != nil {
		return err
	}
	if !lost {
		state.Endpoint = objects.Endpoint()
	}
	state.Gateway, state.Limited = objects.ObservedGateway(objects.Gateway.Role), objects.HasLimits()
	if state.Allow, err = o.allow(ctx, objects); err != nil {
		return err
	}
	return o.readKey(ctx, objects, state)
}

// readKey adds the public key of the gateway to the state.
func (o EndObject) readKey(ctx context.Context, objects liqo.Objects, state *EndObjectState) error {
	key, err := o.End.Key(ctx, objects)
	if state.KeyUnreadable = apierrors.IsForbidden(err); state.KeyUnreadable {
		return nil
	}
	state.Key = key
	return err
}

// WhyDown asks the leaf why the tunnel is down, as far as this end shows it.
func (o EndObject) WhyDown(ctx context.Context) *trouble.Problem {
	return explain.DownAt(ctx, o.End.Subject())
}

// EndObjectOwner is the resource instance that owns an [EndObject] before an import. It is empty if none does.
type EndObjectOwner struct {
	Token    string
	Origin   owner.Origin
	Shortcut bool // it is a liqo_shortcut
}

// ImportedFrom returns who owns the object. An import takes the token, so that the object needs no other marks, and is
// not changed.
func (o EndObject) ImportedFrom(ctx context.Context) (EndObjectOwner, error) {
	objects, err := o.End.Find(ctx)
	object := end.ObjectOf(objects, o.End.Owner.Resource)
	if err != nil || object == nil || owner.TokenOf(object) == "" {
		return EndObjectOwner{}, err
	}
	return EndObjectOwner{
		Token: owner.TokenOf(object), Origin: originOf(object, objects.Made()), Shortcut: !owner.IsEndObject(object),
	}, nil
}

// CheckAllow fails if the gateway on this leaf can't enforce what may cross, or if a rule for this leaf is for ranges
// without pods. The ranges of the other leaf are not known here.
func (o EndObject) CheckAllow(ctx context.Context, allow *Allow) error {
	limits, err := o.limits(ctx, allow)
	if err != nil || limits == nil {
		return err
	}
	return o.End.CheckLimits(ctx, *limits)
}

// limits returns what may cross as this end enforces it, or nil if everything may. A rule without ranges is for all
// pods of this leaf: which of them the other leaf gets to know is decided there.
func (o EndObject) limits(ctx context.Context, allow *Allow) (*liqo.Limits, error) {
	if allow == nil {
		return nil, nil //nolint:nilnil // no limits
	}
	own, err := liqo.RangesOf(ctx, o.End.Leaf)
	return allow.Limits(own, anywhere, o.isClient()), err
}

func (o EndObject) limitsOf(e *endSteps, allow *Allow) *steps.Step[*liqo.Limits] {
	return steps.Do(e.run, e.Leaf.Name, "allowed traffic", func(ctx context.Context) (*liqo.Limits, error) {
		return o.limits(ctx, allow)
	})
}

// isClient reports whether the gateway of this end dials the other one.
func (o EndObject) isClient() bool { return o.End.Owner.Resource == owner.GatewayClientResource }

// allow returns what may cross as this end enforces it, or nil if everything may, or if someone has edited or removed
// the rules. A shortcut may announce a part of the pods only. So the rules that an import takes over from one may be
// for this part, and say so.
func (o EndObject) allow(ctx context.Context, objects liqo.Objects) (*Allow, error) {
	limits := objects.Limits()
	if limits == nil {
		return nil, nil //nolint:nilnil // no limits
	}
	own, err := liqo.RangesOf(ctx, o.End.Leaf)
	if !slices.Equal(limits.Own, own.PodCIDRs) {
		for i, rule := range limits.In {
			if len(rule.CIDRs) == 0 {
				limits.In[i].CIDRs = limits.Own
			}
		}
	}
	return allowAt(limits, o.isClient()), err
}
