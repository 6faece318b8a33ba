package liqo

import (
	"cmp"

	enutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/external-network/utils"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	corev1 "k8s.io/api/core/v1"
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
