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
	Name      string
	Namespace string
	Resource  string // group/version/resource, as in liqoctl's --gw-server-type
}

// DefaultServerTemplate returns Liqo's own template of a gateway server, on a leaf with this Liqo namespace.
func DefaultServerTemplate(liqoNamespace string) Template {
	return Template{Name: DefaultServerTemplateName, Namespace: liqoNamespace, Resource: DefaultServerTemplateResource}
}

// DefaultClientTemplate returns Liqo's own template of a gateway client, on a leaf with this Liqo namespace.
func DefaultClientTemplate(liqoNamespace string) Template {
	return Template{Name: DefaultClientTemplateName, Namespace: liqoNamespace, Resource: DefaultClientTemplateResource}
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

// GatewaySettings is the settings of a gateway: a [GatewayServer] or a [GatewayClient].
type GatewaySettings interface {
	// TemplateOn returns the template of the gateway on a leaf with this Liqo namespace. No field is empty.
	TemplateOn(liqoNamespace string) Template
	// Keys returns the name of the user's Secret with the keys, and the value whose change gives the gateway new keys.
	// Either may be empty.
	Keys() (secret, rotation string)
	// PodSettings returns the settings of the gateway's pods, or nil if it takes its template as it is.
	PodSettings() *PodSettings
}

// templateFrom turns Liqo's reference, which has a kind, into a template with the resource as in liqoctl's flags.
func templateFrom(reference corev1.ObjectReference) Template {
	return Template{
		Name: reference.Name, Namespace: reference.Namespace,
		Resource: reference.APIVersion + "/" + enutils.KindToResource(reference.Kind),
	}
}
