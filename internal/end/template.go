package end

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	enutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/external-network/utils"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// Liqo's own templates of WireGuard gateways. They are in Liqo's namespace.
const (
	DefaultServerTemplateName     = forge.DefaultGwServerTemplateName
	DefaultServerTemplateResource = forge.DefaultGwServerType
	DefaultClientTemplateName     = forge.DefaultGwClientTemplateName
	DefaultClientTemplateResource = forge.DefaultGwClientType
)

// Template names the object from which Liqo creates a gateway. Empty fields stand for those of Liqo's
// own template.
type Template struct {
	Name      string
	Namespace string
	Resource  string // group/version/resource, as in liqoctl's --gw-server-type
}

// ServerTemplate returns Liqo's own template of a gateway server, on a leaf with this Liqo namespace.
func ServerTemplate(liqoNamespace string) Template {
	return Template{Name: DefaultServerTemplateName, Namespace: liqoNamespace, Resource: DefaultServerTemplateResource}
}

// ClientTemplate returns Liqo's own template of a gateway client, on a leaf with this Liqo namespace.
func ClientTemplate(liqoNamespace string) Template {
	return Template{Name: DefaultClientTemplateName, Namespace: liqoNamespace, Resource: DefaultClientTemplateResource}
}

// or fills the empty fields.
func (t Template) or(byDefault Template) Template {
	return Template{
		Name:      cmp.Or(t.Name, byDefault.Name),
		Namespace: cmp.Or(t.Namespace, byDefault.Namespace),
		Resource:  cmp.Or(t.Resource, byDefault.Resource),
	}
}

// observed returns the found template of a gateway in terms of these settings. Fields that these
// settings leave to Liqo stay empty while they have Liqo's value: all fields if the settings name no
// template, otherwise the namespace.
func (t Template) observed(found, byDefault Template) Template {
	switch {
	case t == (Template{}) && found == byDefault:
		return Template{}
	case t.Namespace == "" && found.Namespace == byDefault.Namespace:
		found.Namespace = ""
	}
	return found
}

// Gateway is the settings of a gateway: a [GatewayServer] or a [GatewayClient].
type Gateway interface {
	// template returns the template of the gateway on a leaf with this Liqo namespace. No field is
	// empty.
	template(liqoNamespace string) Template
}

func (g GatewayServer) template(liqoNamespace string) Template {
	return g.Template.or(ServerTemplate(liqoNamespace))
}

func (g GatewayClient) template(liqoNamespace string) Template {
	return g.Template.or(ClientTemplate(liqoNamespace))
}

// refer returns the reference to a template as a gateway has it: with a kind instead of a resource.
func (e *End) refer(template Template) (corev1.ObjectReference, error) {
	resource, err := enutils.ParseGroupVersionResource(template.Resource)
	if err != nil || resource.Version == "" || resource.Resource == "" {
		return corev1.ObjectReference{}, &explain.Problem{
			Leaf: e.Leaf.Name, Summary: "not a resource: " + template.Resource,
			Detail: "It must be group/version/resource.", Err: err,
		}
	}
	kind, err := e.Leaf.Live.RESTMapper().KindFor(resource)
	if meta.IsNoMatchError(err) {
		return corev1.ObjectReference{}, &explain.Problem{
			Leaf: e.Leaf.Name, Summary: "there are no templates of type " + template.Resource,
			Detail: "The API server does not know this resource. Check its spelling, or install the gateway technology " +
				"that provides it.",
			Err: err,
		}
	}
	apiVersion, name := kind.ToAPIVersionAndKind()
	return corev1.ObjectReference{
		Name: template.Name, Namespace: template.Namespace, Kind: name, APIVersion: apiVersion,
	}, e.Leaf.Explain(err)
}

// templateOf turns Liqo's reference, which has a kind, into a template with the resource as in
// liqoctl's flags.
func templateOf(reference corev1.ObjectReference) Template {
	return Template{
		Name: reference.Name, Namespace: reference.Namespace,
		Resource: reference.APIVersion + "/" + enutils.KindToResource(reference.Kind),
	}
}

// TemplateSettings says which settings of a gateway's Service a template uses.
type TemplateSettings struct {
	Name string // the template's kind, namespace and name, for messages

	TakesNodePort, TakesLoadBalancerIP bool
}

// CheckTemplate fails if the template of a gateway, or its kind, does not exist on the leaf.
func (e *End) CheckTemplate(ctx context.Context, gateway Gateway) (TemplateSettings, error) {
	template := gateway.template(e.Leaf.LiqoNamespace)
	reference, err := e.refer(template)
	if err != nil {
		return TemplateSettings{}, err
	}
	object, err := e.readTemplate(ctx, reference)
	if err != nil {
		return TemplateSettings{}, err
	}
	spec := object.Object["spec"]
	return TemplateSettings{
		Name:          fmt.Sprintf("%s %s/%s", object.GetKind(), object.GetNamespace(), object.GetName()),
		TakesNodePort: mentions(spec, ".NodePort"), TakesLoadBalancerIP: mentions(spec, ".LoadBalancerIP"),
	}, nil
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
		return nil, &explain.Problem{
			Leaf: e.Leaf.Name, Summary: "the template does not exist",
			Detail: fmt.Sprintf("There is no %s %s.", reference.Kind, key), Err: err,
		}
	}
	return object, e.Leaf.Explain(err)
}

// mentions reports whether a template refers to a field of a gateway. Liqo renders every string of it
// as a Go template, whatever the technology.
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
