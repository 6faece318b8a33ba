package shortcut

import (
	"context"
	"fmt"

	enutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/external-network/utils"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// CheckServerTemplate makes sure that the template of the server's gateway exists, and its kind with it.
func (s *Shortcut) CheckServerTemplate(ctx context.Context, spec Spec) error {
	return s.server.checkTemplate(ctx,
		spec.Server.Template.or(DefaultServerTemplateName, s.server.leaf.LiqoNamespace, DefaultServerTemplateResource))
}

// CheckClientTemplate makes sure that the template of the client's gateway exists, and its kind with it.
func (s *Shortcut) CheckClientTemplate(ctx context.Context, spec Spec) error {
	return s.client.checkTemplate(ctx,
		spec.Client.Template.or(DefaultClientTemplateName, s.client.leaf.LiqoNamespace, DefaultClientTemplateResource))
}

func (s *side) checkTemplate(ctx context.Context, template Template) error {
	reference, err := s.refer(template)
	if err != nil {
		return err
	}
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(reference.GroupVersionKind())
	err = s.leaf.Live.Get(ctx, client.ObjectKey{Namespace: template.Namespace, Name: template.Name}, object)
	if apierrors.IsNotFound(err) {
		return &Problem{
			Leaf: s.leaf.Name, Summary: "the template does not exist",
			Detail: fmt.Sprintf("There is no %s %s/%s.", reference.Kind, template.Namespace, template.Name), Err: err,
		}
	}
	return s.leaf.Explain(err)
}

// refer is how a gateway names its template: by kind, where people name a resource.
func (s *side) refer(template Template) (corev1.ObjectReference, error) {
	resource, err := enutils.ParseGroupVersionResource(template.Resource)
	if err != nil {
		return corev1.ObjectReference{}, &Problem{
			Leaf: s.leaf.Name, Summary: "not a resource: " + template.Resource, Detail: "It must be group/version/resource.", Err: err,
		}
	}
	kind, err := s.leaf.Live.RESTMapper().KindFor(resource)
	if meta.IsNoMatchError(err) {
		return corev1.ObjectReference{}, &Problem{
			Leaf: s.leaf.Name, Summary: "there are no templates of type " + template.Resource,
			Detail: "The API server does not know this resource. Check its spelling, or install the gateway technology that brings it.", Err: err,
		}
	}
	apiVersion, name := kind.ToAPIVersionAndKind()
	return corev1.ObjectReference{
		Name: template.Name, Namespace: template.Namespace, Kind: name, APIVersion: apiVersion,
	}, s.leaf.Explain(err)
}
