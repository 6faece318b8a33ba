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

// Liqo's own templates, of WireGuard gateways. They are in the namespace where Liqo runs.
const (
	DefaultServerTemplateName     = forge.DefaultGwServerTemplateName
	DefaultServerTemplateResource = forge.DefaultGwServerType
	DefaultClientTemplateName     = forge.DefaultGwClientTemplateName
	DefaultClientTemplateResource = forge.DefaultGwClientType
)

// Template names the object that Liqo makes a gateway from. Empty fields stand for those of Liqo's own template.
type Template struct {
	Name      string
	Namespace string
	Resource  string // group/version/resource, as in liqoctl's --gw-server-type
}

// ServerTemplate is Liqo's own template of a gateway server, on a leaf where Liqo runs in that namespace.
func ServerTemplate(liqoNamespace string) Template {
	return Template{Name: DefaultServerTemplateName, Namespace: liqoNamespace, Resource: DefaultServerTemplateResource}
}

// ClientTemplate is Liqo's own template of a gateway client, on a leaf where Liqo runs in that namespace.
func ClientTemplate(liqoNamespace string) Template {
	return Template{Name: DefaultClientTemplateName, Namespace: liqoNamespace, Resource: DefaultClientTemplateResource}
}

// or fills what is empty.
func (t Template) or(byDefault Template) Template {
	return Template{
		Name:      cmp.Or(t.Name, byDefault.Name),
		Namespace: cmp.Or(t.Namespace, byDefault.Namespace),
		Resource:  cmp.Or(t.Resource, byDefault.Resource),
	}
}

// observed is the template that a gateway was found to be made from, in the words of these settings. What they leave
// to Liqo stays empty while it is Liqo's own: all of it if they name no template, else the namespace.
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
	// template is what the gateway is made from on a leaf where Liqo runs in that namespace. No field is empty.
	template(liqoNamespace string) Template
}

func (g GatewayServer) template(liqoNamespace string) Template {
	return g.Template.or(ServerTemplate(liqoNamespace))
}

func (g GatewayClient) template(liqoNamespace string) Template {
	return g.Template.or(ClientTemplate(liqoNamespace))
}

// refer is how a gateway names its template: by kind, where people name a resource.
func (e *End) refer(template Template) (corev1.ObjectReference, error) {
	resource, err := enutils.ParseGroupVersionResource(template.Resource)
	if err != nil {
		return corev1.ObjectReference{}, &explain.Problem{
			Leaf: e.Leaf.Name, Summary: "not a resource: " + template.Resource, Detail: "It must be group/version/resource.", Err: err,
		}
	}
	kind, err := e.Leaf.Live.RESTMapper().KindFor(resource)
	if meta.IsNoMatchError(err) {
		return corev1.ObjectReference{}, &explain.Problem{
			Leaf: e.Leaf.Name, Summary: "there are no templates of type " + template.Resource,
			Detail: "The API server does not know this resource. Check its spelling, or install the gateway technology that brings it.", Err: err,
		}
	}
	apiVersion, name := kind.ToAPIVersionAndKind()
	return corev1.ObjectReference{
		Name: template.Name, Namespace: template.Namespace, Kind: name, APIVersion: apiVersion,
	}, e.Leaf.Explain(err)
}

// templateOf turns Liqo's reference, which has a kind, into the resource that liqoctl's flags have.
func templateOf(reference corev1.ObjectReference) Template {
	return Template{
		Name: reference.Name, Namespace: reference.Namespace,
		Resource: reference.APIVersion + "/" + enutils.KindToResource(reference.Kind),
	}
}

// TemplateSettings is what a template makes of the settings of a gateway's Service.
type TemplateSettings struct {
	Name string // the template's kind, namespace and name, for people

	TakesNodePort, TakesLoadBalancerIP bool
}

// CheckTemplate makes sure that the template of a gateway exists on the leaf, and its kind with it.
func (e *End) CheckTemplate(ctx context.Context, gateway Gateway) (TemplateSettings, error) {
	template := gateway.template(e.Leaf.LiqoNamespace)
	reference, err := e.refer(template)
	if err != nil {
		return TemplateSettings{}, err
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(reference.GroupVersionKind())
	err = e.Leaf.Live.Get(ctx, client.ObjectKey{Namespace: template.Namespace, Name: template.Name}, object)
	if apierrors.IsNotFound(err) {
		return TemplateSettings{}, &explain.Problem{
			Leaf: e.Leaf.Name, Summary: "the template does not exist",
			Detail: fmt.Sprintf("There is no %s %s/%s.", reference.Kind, template.Namespace, template.Name), Err: err,
		}
	}
	if err != nil {
		return TemplateSettings{}, e.Leaf.Explain(err)
	}
	spec := object.Object["spec"]
	return TemplateSettings{
		Name:          fmt.Sprintf("%s %s/%s", object.GetKind(), object.GetNamespace(), object.GetName()),
		TakesNodePort: mentions(spec, ".NodePort"), TakesLoadBalancerIP: mentions(spec, ".LoadBalancerIP"),
	}, nil
}

// mentions reports whether a template refers to a field of a gateway somewhere: Liqo renders every text of it as a
// template of Go's, whatever the technology.
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
