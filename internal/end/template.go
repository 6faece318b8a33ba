package end

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	enutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/external-network/utils"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// refer returns the reference to a template as a gateway has it: with a kind instead of a resource.
func (e *End) refer(template liqo.Template) (corev1.ObjectReference, error) {
	resource, err := enutils.ParseGroupVersionResource(template.Resource)
	if err != nil || resource.Version == "" || resource.Resource == "" {
		return corev1.ObjectReference{}, &trouble.Problem{
			ID: trouble.NoEntry, Leaf: e.Leaf.Name, Summary: "not a resource: " + template.Resource,
			Advice: "It must be group/version/resource.", Err: err,
		}
	}
	kind, err := e.Leaf.Live.RESTMapper().KindFor(resource)
	if meta.IsNoMatchError(err) {
		return corev1.ObjectReference{}, &trouble.Problem{
			ID: trouble.NoEntry, Leaf: e.Leaf.Name, Summary: "there are no templates of type " + template.Resource,
			Advice: "The API server does not know this resource. Check its spelling, or install the gateway technology " +
				"that provides it.",
			Err: err,
		}
	}
	apiVersion, name := kind.ToAPIVersionAndKind()
	return corev1.ObjectReference{
		Name: template.Name, Namespace: template.Namespace, Kind: name, APIVersion: apiVersion,
	}, e.Leaf.Explain(err)
}

// TemplateSettings says which settings of a gateway's Service a template uses.
type TemplateSettings struct {
	Name string // the template's kind, namespace and name, for messages

	TakesNodePort, TakesLoadBalancerIP bool
}

// CheckTemplate fails if the template of a gateway with these settings, or its kind, does not exist on the leaf, or if
// it can't be rendered.
func (e *End) CheckTemplate(ctx context.Context, settings liqo.GatewaySettings) (TemplateSettings, error) {
	objects, err := e.Find(ctx)
	if err != nil {
		return TemplateSettings{}, err
	}
	existing, desired, err := e.presumedGateway(ctx, objects, settings)
	if err != nil {
		return TemplateSettings{}, refusal(err)
	}
	source, err := e.readSource(ctx, existing, desired)
	if err != nil {
		return TemplateSettings{}, refusal(err)
	}
	base, spec := settings.TemplateOn(e.Leaf.LiqoNamespace), source.template.Object["spec"]
	template := TemplateSettings{
		Name:          fmt.Sprintf("%s %s/%s", source.template.GetKind(), base.Namespace, base.Name),
		TakesNodePort: mentions(spec, ".NodePort"), TakesLoadBalancerIP: mentions(spec, ".LoadBalancerIP"),
	}
	if isWireGuard(*desired.Template) {
		if _, err := e.render(ctx, source, existing, desired); err != nil {
			return TemplateSettings{}, refusal(err)
		}
	}
	return template, nil
}

// refusal returns the error of a check before the first write.
func refusal(err error) error {
	problem, ok := errors.AsType[*trouble.Problem](err)
	if !ok {
		return err
	}
	refused := *problem
	refused.Refused, refused.Advice = true, problem.Advice+" Nothing was changed."
	return &refused
}

// readTemplate reads a template from the API server. A missing one is an error.
func (e *End) readTemplate(
	ctx context.Context, reference corev1.ObjectReference,
) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(reference.GroupVersionKind())
	key := client.ObjectKey{Namespace: reference.Namespace, Name: reference.Name}
	err := e.Leaf.Live.Get(ctx, key, object)
	if apierrors.IsNotFound(err) {
		return nil, &trouble.Problem{
			ID: "template-missing", Leaf: e.Leaf.Name, Summary: "the template does not exist",
			Advice: fmt.Sprintf("There is no %s %s.", reference.Kind, key), Err: err,
		}
	}
	return object, e.Leaf.Explain(err)
}

// mentions reports whether a template refers to a field of a gateway. Liqo renders every string of it as a Go template,
// whatever the technology.
func mentions(value any, field string) bool {
	switch value := value.(type) {
	case string:
		return strings.Contains(value, "{{") && strings.Contains(value, field)
	case []any:
		return slices.ContainsFunc(value, func(element any) bool { return mentions(element, field) })
	case map[string]any:
		for _, element := range value {
			if mentions(element, field) {
				return true
			}
		}
	}
	return false
}
