package end

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// A gateway with settings of its pods has a derived template, beside it and with its name. The template belongs to
// whoever owns the gateway. It is there before the gateway refers to it, and goes after the gateway.

// takeTemplate lets a gateway refer to the template of these settings. It returns the derived template as it shall be,
// or nil if there is none.
func (e *End) takeTemplate(
	ctx context.Context, gateway *liqo.Gateway, settings liqo.GatewaySettings,
) (*unstructured.Unstructured, error) {
	base, err := e.refer(settings.TemplateOn(e.Leaf.LiqoNamespace))
	*gateway.Template = base
	if err != nil || settings.Pods == nil {
		return nil, err
	}
	derivation := liqo.Derivation{Base: settings.TemplateOn(e.Leaf.LiqoNamespace), Pods: *settings.Pods}
	text, err := derivation.Annotation()
	if err != nil {
		return nil, err
	}
	cluster.SetAnnotation(gateway, liqo.DerivationAnnotation, text)
	derived, err := e.deriveFor(ctx, gateway, base, derivation.Pods)
	name := liqo.DerivedTemplateOf(gateway)
	gateway.Template.Name, gateway.Template.Namespace = name.Name, name.Namespace
	return derived, err
}

// deriveFor reads the base, and returns the derived template of a gateway as it shall be.
func (e *End) deriveFor(
	ctx context.Context, gateway client.Object, base corev1.ObjectReference, settings liqo.PodSettings,
) (*unstructured.Unstructured, error) {
	source, err := e.readTemplate(ctx, base)
	if err != nil {
		return nil, err
	}
	name, spec := liqo.DerivedTemplateOf(gateway), fieldsOf(source.Object["spec"])
	derivedSpec, err := derive(spec, settings)
	if client.ObjectKeyFromObject(source) == name {
		err = &inexpressible{"template", "this is the template that the provider derives"}
	}
	if failure, ok := errors.AsType[*inexpressible](err); ok {
		return nil, &trouble.Problem{
			ID: trouble.NoEntry, Leaf: e.Leaf.Name, Summary: "the template can't express a setting of `pods`",
			Err: failure,
			Advice: fmt.Sprintf("%s can't have %s. Remove this setting, or set `template` of this gateway to a template that "+
				"can have it.", e.Leaf.Describe(source), trouble.Shown(failure.Error())),
		}
	}
	if err != nil {
		return nil, err
	}
	derived := &unstructured.Unstructured{Object: map[string]any{"spec": derivedSpec}}
	derived.SetGroupVersionKind(base.GroupVersionKind())
	derived.SetName(name.Name)
	derived.SetNamespace(name.Namespace)
	derived.SetAnnotations(map[string]string{liqo.BaseAnnotation: liqo.Digest(spec)})
	derived.SetLabels(map[string]string{consts.RemoteClusterID: string(e.Remote.ID)})
	e.Owner.Mark(derived)
	return derived, nil
}

// readDerived reads a derived template as it is, or returns nil if there is none. What somebody else has made with its
// name is an error.
func (e *End) readDerived(
	ctx context.Context, desired *unstructured.Unstructured,
) (*unstructured.Unstructured, error) {
	current := &unstructured.Unstructured{}
	current.SetGroupVersionKind(desired.GroupVersionKind())
	exists, err := e.Leaf.Get(ctx, client.ObjectKeyFromObject(desired), current)
	switch {
	case !exists:
		return nil, err
	case !owner.Managed(current):
		return nil, &trouble.Problem{
			ID: "derived-template-taken", Leaf: e.Leaf.Name, Summary: "another template has the gateway's name",
			Advice: fmt.Sprintf("With `pods`, the gateway needs a template of its own, %s. The provider did not make the one "+
				"that is there, so it does not change it. Rename that one, or remove `pods`.", e.Leaf.Describe(current)),
		}
	}
	return current, nil
}

// derivedDiffers reports whether the derived template of a gateway is not as desired, or whether the existing gateway
// has not taken it yet. There may be none to have.
func (e *End) derivedDiffers(ctx context.Context, existing *liqo.Gateway, desired desiredGateway) (bool, error) {
	if desired.derived == nil {
		return false, nil
	}
	current, err := e.readDerived(ctx, desired.derived)
	return current == nil || !sameSpec(current, desired.derived) || !hasTaken(existing, current), err
}

// hasTaken reports whether a gateway was written after its derived template was as it is.
func hasTaken(gateway client.Object, derived *unstructured.Unstructured) bool {
	taken, _, _ := strings.Cut(gateway.GetAnnotations()[liqo.DerivedAnnotation], "/")
	return taken == liqo.Digest(fieldsOf(derived.Object["spec"]))
}

func sameSpec(one, other *unstructured.Unstructured) bool {
	return equality.Semantic.DeepEqual(one.Object["spec"], other.Object["spec"])
}

// ensureDerived makes the derived template of a gateway as desired, if it is to have one. The gateway then differs if
// the template has changed, so that Liqo reads the template when the gateway is written.
func (e *End) ensureDerived(ctx context.Context, gateway desiredGateway) error {
	if gateway.derived == nil {
		return nil
	}
	current, err := e.readDerived(ctx, gateway.derived)
	if err != nil {
		return err
	}
	written := gateway.derived.DeepCopy()
	if current == nil {
		err = e.Leaf.ApplyFields(ctx, written, cluster.FieldManager)
	} else {
		written, err = e.changeDerived(ctx, current, gateway.derived)
	}
	cluster.SetAnnotation(gateway.Object, liqo.DerivedAnnotation, fmt.Sprintf("%s/%s/%s",
		liqo.Digest(fieldsOf(written.Object["spec"])), written.GetUID(), written.GetResourceVersion()))
	return err
}

// changeDerived makes a derived template as desired, whoever has changed it, and returns what it is then.
func (e *End) changeDerived(
	ctx context.Context, current, desired *unstructured.Unstructured,
) (*unstructured.Unstructured, error) {
	base := desired.GetAnnotations()[liqo.BaseAnnotation]
	if sameSpec(current, desired) && e.Owner.Marked(current) && current.GetAnnotations()[liqo.BaseAnnotation] == base {
		return current, nil
	}
	changed := current.DeepCopy()
	changed.Object["spec"] = desired.Object["spec"]
	cluster.SetAnnotation(changed, liqo.BaseAnnotation, base)
	cluster.SetLabel(changed, consts.RemoteClusterID, string(e.Remote.ID))
	e.Owner.Mark(changed)
	return changed, e.Leaf.Patch(ctx, changed, client.MergeFrom(current))
}

// keepDerived keeps on a gateway the note that it may have a derived template, until that is gone.
func keepDerived(gateway, existing client.Object) {
	if version, ok := existing.GetAnnotations()[liqo.DerivedAnnotation]; ok {
		cluster.SetAnnotation(gateway, liqo.DerivedAnnotation, version)
	}
}

// derivedBy returns the derived template that a gateway may have, or nil.
func derivedBy(gateway *liqo.Gateway) *dependent {
	if _, noted := gateway.GetAnnotations()[liqo.DerivedAnnotation]; !noted {
		return nil
	}
	return &dependent{gateway.Template.GroupVersionKind(), liqo.DerivedTemplateOf(gateway)}
}

// removeDerived removes derived templates to which no gateway refers any longer. It returns when they are gone.
func (e *End) removeDerived(ctx context.Context, templates ...*dependent) error {
	for _, one := range templates {
		if one == nil {
			continue
		}
		template := &unstructured.Unstructured{}
		template.SetGroupVersionKind(one.kind)
		exists, err := e.Leaf.Get(ctx, one.key, template)
		if err != nil {
			return err
		}
		if !exists || !owner.Managed(template) {
			continue
		}
		if err := e.delete(ctx, template); err != nil {
			return err
		}
	}
	return nil
}

// dropDerived removes the derived template of a gateway that takes a template as it is since a change.
func (e *End) dropDerived(ctx context.Context, gateway *liqo.Gateway) error {
	template := derivedBy(gateway)
	if template == nil || liqo.DerivationOf(gateway) != nil {
		return nil
	}
	if err := e.removeDerived(ctx, template); err != nil {
		return err
	}
	return e.Leaf.Edit(ctx, gateway.Object, func(gateway client.Object) {
		cluster.RemoveAnnotation(gateway, liqo.DerivedAnnotation)
	})
}

// OutdatedTemplate returns what is wrong with the derived template of the gateway, or nil. An apply repairs it. It asks
// the leaf only if the gateway has one.
func (e *End) OutdatedTemplate(ctx context.Context) (*trouble.Problem, error) {
	objects, err := e.Find(ctx)
	gateway := objects.Gateway
	if err != nil || gateway == nil {
		return nil, err
	}
	derivation := liqo.DerivationOf(gateway)
	if derivation == nil {
		return nil, nil //nolint:nilnil // documented
	}
	base, err := e.refer(derivation.Base)
	if err != nil {
		return nil, err
	}
	desired, err := e.deriveFor(ctx, gateway, base, derivation.Pods)
	if err != nil {
		return nil, err
	}
	current, err := e.readDerived(ctx, desired)
	if err != nil {
		return nil, err
	}
	return e.outdated(base, gateway, current, desired), nil
}

// outdated says what is wrong with a derived template, or returns nil. Current is nil if it is gone.
func (e *End) outdated(
	base corev1.ObjectReference, gateway client.Object, current, desired *unstructured.Unstructured,
) *trouble.Problem {
	name := e.Leaf.Describe(desired)
	switch {
	case current == nil:
		return &trouble.Problem{
			ID: "derived-template-deleted", Leaf: e.Leaf.Name, Summary: "the template of the gateway's pods is gone",
			Advice: fmt.Sprintf("Another user has deleted %s, from which Liqo made the gateway. Its pods run on, but Liqo "+
				"can't change the gateway any longer. The apply creates the template again, and restarts nothing.", name),
		}
	case current.GetAnnotations()[liqo.BaseAnnotation] != desired.GetAnnotations()[liqo.BaseAnnotation]:
		return &trouble.Problem{
			ID: "derived-template-outdated", Leaf: e.Leaf.Name,
			Summary: "the template of the gateway's pods is older than its base",
			Advice: fmt.Sprintf("%s was derived from %s %s/%s, which has changed since, perhaps by an update of Liqo. The "+
				"gateway still runs with what the older one said, such as its images. The apply derives the template again, "+
				"and the gateway's pods restart if they change by it.", name, base.Kind, base.Namespace, base.Name),
		}
	case !sameSpec(current, desired):
		return &trouble.Problem{
			ID: "derived-template-edited", Leaf: e.Leaf.Name,
			Summary: "another user has edited the template of the gateway's pods",
			Advice: fmt.Sprintf("%s is not as `pods` says. The apply repairs it. The gateway's pods restart if they were made "+
				"from the edited one.", name),
		}
	case !hasTaken(gateway, current):
		return &trouble.Problem{
			ID: "derived-template-not-taken", Leaf: e.Leaf.Name, Summary: "the gateway is not made from its present template",
			Advice: fmt.Sprintf("%s is as it shall be, but Liqo was not told, perhaps because an apply was interrupted. The "+
				"apply tells it. The gateway's pods restart if they change by it.", name),
		}
	default:
		return nil
	}
}
