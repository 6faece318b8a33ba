package liqo

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	enutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/external-network/utils"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Liqo's own templates of WireGuard gateways. They are in Liqo's namespace.
const (
	DefaultServerTemplateName     = forge.DefaultGwServerTemplateName
	DefaultServerTemplateResource = forge.DefaultGwServerType
	DefaultClientTemplateName     = forge.DefaultGwClientTemplateName
	DefaultClientTemplateResource = forge.DefaultGwClientType
)

// Template names the object from which Liqo creates a gateway. Empty fields stand for those of Liqo's own template.
type Template struct {
	Name      string `tfsdk:"name"`
	Namespace string `tfsdk:"namespace"`
	Resource  string `tfsdk:"resource"` // group/version/resource, as in liqoctl's --gw-server-type
}

// DefaultTemplate returns Liqo's own template of a gateway of this role, on a leaf with this Liqo namespace.
func DefaultTemplate(role GatewayRole, liqoNamespace string) Template {
	if role == ServerRole {
		return Template{DefaultServerTemplateName, liqoNamespace, DefaultServerTemplateResource}
	}
	return Template{DefaultClientTemplateName, liqoNamespace, DefaultClientTemplateResource}
}

// Or fills the empty fields.
func (t Template) Or(byDefault Template) Template {
	return Template{
		Name:      cmp.Or(t.Name, byDefault.Name),
		Namespace: cmp.Or(t.Namespace, byDefault.Namespace),
		Resource:  cmp.Or(t.Resource, byDefault.Resource),
	}
}

// observed returns the found template of a gateway in terms of these settings. Fields that these settings leave to Liqo
// stay empty while they have Liqo's value: all fields if the settings name no template, otherwise the namespace.
func (t Template) observed(template, byDefault Template) Template {
	switch {
	case t == (Template{}) && template == byDefault:
		return Template{}
	case t.Namespace == "" && template.Namespace == byDefault.Namespace:
		template.Namespace = ""
	}
	return template
}

// templateFrom turns Liqo's reference, which has a kind, into a template with the resource as in liqoctl's flags.
func templateFrom(reference corev1.ObjectReference) Template {
	return Template{
		Name: reference.Name, Namespace: reference.Namespace,
		Resource: reference.APIVersion + "/" + enutils.KindToResource(reference.Kind),
	}
}

// GatewayTemplate is an object from which Liqo creates gateways.
type GatewayTemplate struct {
	Name, Namespace string
	Resource        string // group/version/resource, as in liqoctl's --gw-server-type
	Role            GatewayRole
}

// templateRoles maps the suffix of a kind of template to its role. Every gateway technology has two kinds, named like
// Liqo's own kinds for WireGuard.
var templateRoles = map[string]GatewayRole{"GatewayServerTemplate": ServerRole, "GatewayClientTemplate": ClientRole}

// wireGuard are the resources of WireGuard's templates, which every leaf has.
var wireGuard = []metav1.APIResource{
	{Name: networkingv1beta1.WgGatewayServerTemplateResource, Kind: networkingv1beta1.WgGatewayServerTemplateKind},
	{Name: networkingv1beta1.WgGatewayClientTemplateResource, Kind: networkingv1beta1.WgGatewayClientTemplateKind},
}

// GatewayTemplates lists the templates of all gateway technologies in Liqo's API group, sorted by role, resource,
// namespace and name, except for those that are derived for one gateway. It asks for those of WireGuard while it asks
// which others there are.
func GatewayTemplates(ctx context.Context, leaf *cluster.Leaf) ([]GatewayTemplate, error) {
	var usual, others []GatewayTemplate
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		usual, err = templatesOf(ctx, leaf, wireGuard)
		return err
	})
	group.Go(func() error {
		version := networkingv1beta1.GroupVersion.String()
		served, err := leaf.Document(ctx, "resources of "+version, "/apis/"+version)
		if err != nil {
			return err
		}
		var list metav1.APIResourceList
		if err := json.Unmarshal(served, &list); err != nil {
			return leaf.Explain(err)
		}
		others, err = templatesOf(ctx, leaf, slices.DeleteFunc(list.APIResources, func(one metav1.APIResource) bool {
			return templateRole(&one) == "" ||
				slices.ContainsFunc(wireGuard, func(known metav1.APIResource) bool { return known.Name == one.Name })
		}))
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	templates := slices.Concat(usual, others)
	slices.SortFunc(templates, func(a, b GatewayTemplate) int {
		return cmp.Or(-cmp.Compare(a.Role, b.Role), cmp.Compare(a.Resource, b.Resource),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return templates, nil
}

// templatesOf lists the templates of all these resources at the same time. A resource that does not exist has none.
func templatesOf(ctx context.Context, leaf *cluster.Leaf, resources []metav1.APIResource) ([]GatewayTemplate, error) {
	templates := make([][]GatewayTemplate, len(resources))
	group, ctx := errgroup.WithContext(ctx)
	for i := range resources {
		group.Go(func() error {
			var list metav1.PartialObjectMetadataList
			list.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(resources[i].Kind + "List"))
			if err := leaf.ListKnown(ctx, &list); err != nil {
				return err
			}
			resource := networkingv1beta1.GroupVersion.String() + "/" + resources[i].Name
			for j := range list.Items {
				if _, derived := list.Items[j].Annotations[BaseAnnotation]; derived {
					continue
				}
				templates[i] = append(templates[i], GatewayTemplate{
					Name: list.Items[j].Name, Namespace: list.Items[j].Namespace, Resource: resource,
					Role: templateRole(&resources[i]),
				})
			}
			return nil
		})
	}
	err := group.Wait() // before templates is read
	return slices.Concat(templates...), err
}

// templateRole returns the role of a gateway template's resource, and an empty role for other resources. Subresources,
// such as a status, have the kind of the resource and a slash in their name.
func templateRole(resource *metav1.APIResource) GatewayRole {
	if strings.Contains(resource.Name, "/") {
		return ""
	}
	for suffix, role := range templateRoles {
		if strings.HasSuffix(resource.Kind, suffix) {
			return role
		}
	}
	return ""
}
