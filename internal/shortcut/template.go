package shortcut

import (
	"context"
	"fmt"
	"slices"
	"strings"

	enutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/external-network/utils"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// ServerTemplate is what a template of a server's gateway makes of the settings of its Service.
type ServerTemplate struct {
	Name string // its kind, namespace and name, for people

	TakesNodePort, TakesLoadBalancerIP bool
}

// CheckServerTemplate makes sure that the template of the server's gateway exists, and its kind with it.
func (s *Shortcut) CheckServerTemplate(ctx context.Context, gateway ServerGateway) (ServerTemplate, error) {
	template := gateway.Template.or(DefaultServerTemplateName, s.server.leaf.LiqoNamespace, DefaultServerTemplateResource)
	object, err := s.server.readTemplate(ctx, template)
	if err != nil {
		return ServerTemplate{}, err
	}
	return ServerTemplate{
		Name:          fmt.Sprintf("%s %s/%s", object.GetKind(), object.GetNamespace(), object.GetName()),
		TakesNodePort: mentions(object.Object["spec"], ".NodePort"), TakesLoadBalancerIP: mentions(object.Object["spec"], ".LoadBalancerIP"),
	}, nil
}

// CheckClientTemplate makes sure that the template of the client's gateway exists, and its kind with it.
func (s *Shortcut) CheckClientTemplate(ctx context.Context, gateway ClientGateway) error {
	_, err := s.client.readTemplate(ctx, gateway.Template.or(DefaultClientTemplateName, s.client.leaf.LiqoNamespace, DefaultClientTemplateResource))
	return err
}

func (s *side) readTemplate(ctx context.Context, template Template) (*unstructured.Unstructured, error) {
	reference, err := s.refer(template)
	if err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(reference.GroupVersionKind())
	err = s.leaf.Live.Get(ctx, client.ObjectKey{Namespace: template.Namespace, Name: template.Name}, object)
	if apierrors.IsNotFound(err) {
		return nil, &explain.Problem{
			Leaf: s.leaf.Name, Summary: "the template does not exist",
			Detail: fmt.Sprintf("There is no %s %s/%s.", reference.Kind, template.Namespace, template.Name), Err: err,
		}
	}
	return object, s.leaf.Explain(err)
}

// mentions reports whether a template refers to a field of a gateway somewhere: Liqo renders every text of it as a template of Go's, whatever the technology.
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

// refer is how a gateway names its template: by kind, where people name a resource.
func (s *side) refer(template Template) (corev1.ObjectReference, error) {
	resource, err := enutils.ParseGroupVersionResource(template.Resource)
	if err != nil {
		return corev1.ObjectReference{}, &explain.Problem{
			Leaf: s.leaf.Name, Summary: "not a resource: " + template.Resource, Detail: "It must be group/version/resource.", Err: err,
		}
	}
	kind, err := s.leaf.Live.RESTMapper().KindFor(resource)
	if meta.IsNoMatchError(err) {
		return corev1.ObjectReference{}, &explain.Problem{
			Leaf: s.leaf.Name, Summary: "there are no templates of type " + template.Resource,
			Detail: "The API server does not know this resource. Check its spelling, or install the gateway technology that brings it.", Err: err,
		}
	}
	apiVersion, name := kind.ToAPIVersionAndKind()
	return corev1.ObjectReference{
		Name: template.Name, Namespace: template.Namespace, Kind: name, APIVersion: apiVersion,
	}, s.leaf.Explain(err)
}
