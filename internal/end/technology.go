package end

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	enutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/external-network/utils"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// Liqo renders a gateway's template into an object of the gateway's technology. From that object, it
// creates the gateway's Deployment and, for a server, its Service. If the gateway changes, Liqo
// renders the template again and changes the rest in place, but reports no generation in any status.
// So this file renders the template, too, to know what the objects will be.

// technology refers to the object of a gateway's technology, from the gateway's status. It is nil before
// Liqo has created the object.
type technology struct{ *corev1.ObjectReference }

// isWireGuard reports whether it is that of WireGuard. Of others, nobody knows what a change does.
func (t technology) isWireGuard() bool {
	return t.Kind == networkingv1beta1.WgGatewayServerKind || t.Kind == networkingv1beta1.WgGatewayClientKind
}

// canRestart reports whether the gateway with this reference in its status can get new keys by a restart. Of a
// technology that is not WireGuard, nobody knows.
func canRestart(reference *corev1.ObjectReference) bool {
	return reference == nil || technology{reference}.isWireGuard()
}

// parts are what the object of a technology says about a gateway's Deployment and Service. The latter
// is empty for a client.
type parts struct {
	Deployment networkingv1beta1.DeploymentTemplate `json:"deployment"`
	Service    networkingv1beta1.ServiceTemplate    `json:"service"`
}

// carry reports whether these parts say all that the wanted ones say. They must not have an annotation, a
// label, an address or a node port of the Service that is no longer wanted.
func (p parts) carry(desired parts) bool {
	return cluster.Includes(p, desired) &&
		len(p.Service.Metadata.Annotations) == len(desired.Service.Metadata.Annotations) &&
		len(p.Service.Metadata.Labels) == len(desired.Service.Metadata.Labels) &&
		p.Service.Spec.LoadBalancerIP == desired.Service.Spec.LoadBalancerIP &&
		slices.EqualFunc(p.Service.Spec.Ports, desired.Service.Spec.Ports, haveSameNodePort)
}

func haveSameNodePort(one, other corev1.ServicePort) bool { return one.NodePort == other.NodePort }

// restartFor reports whether the gateway's pods restart if these parts become the wanted ones.
func (p parts) restartFor(desired parts) bool {
	return !cluster.Includes(p.Deployment.Spec.Template, desired.Deployment.Spec.Template)
}

// untilParts waits until done returns true for the parts that the object of a technology has. They are
// empty while there is no such object.
func (e *End) untilParts(ctx context.Context, reference technology, done func(parts) bool) error {
	meta := metav1.ObjectMeta{Namespace: reference.Namespace, Name: reference.Name}
	if reference.Kind == networkingv1beta1.WgGatewayServerKind {
		server := &networkingv1beta1.WgGatewayServer{ObjectMeta: meta}
		return e.Leaf.UntilObject(ctx, server, func(exists bool) bool {
			if !exists {
				return done(parts{})
			}
			return done(parts{server.Spec.Deployment, server.Spec.Service})
		})
	}
	dialling := &networkingv1beta1.WgGatewayClient{ObjectMeta: meta}
	return e.Leaf.UntilObject(ctx, dialling, func(exists bool) bool {
		if !exists {
			return done(parts{})
		}
		return done(parts{Deployment: dialling.Spec.Deployment})
	})
}

// rendering is what Liqo's templates of gateways refer to. Its fields have the names and types of
// Liqo's own.
type rendering struct {
	Spec       any // of the gateway
	Name       string
	Namespace  string
	GatewayUID string
	ClusterID  string // of the other leaf
	SecretName string
}

// render renders the template of an existing gateway with its changed settings, as Liqo does.
func (e *End) render(ctx context.Context, existing client.Object, change change) (parts, error) {
	object, err := e.readTemplate(ctx, change.template)
	if err != nil {
		return parts{}, err
	}
	data := rendering{
		Spec: change.spec, Name: existing.GetName(), Namespace: existing.GetNamespace(),
		GatewayUID: string(existing.GetUID()), ClusterID: string(e.Remote.ID), SecretName: change.keySecret,
	}
	desired, err := renderParts(object, data)
	if err != nil {
		return parts{}, &explain.Problem{
			Leaf: e.Leaf.Name, Summary: "the template can't be rendered", Err: err,
			Detail: e.Leaf.Describe(object) + " is not a template that Liqo could use: " + err.Error() + ".",
		}
	}
	return desired, nil
}

// renderParts renders a template with this data.
func renderParts(template *unstructured.Unstructured, data rendering) (parts, error) {
	var desired parts
	spec, _, err := unstructured.NestedMap(template.Object, "spec", "template", "spec")
	if err != nil {
		return desired, err
	}
	rendered, err := enutils.RenderTemplate(spec, data, false)
	if err != nil {
		return desired, err
	}
	text, err := json.Marshal(rendered)
	if err != nil {
		return desired, err
	}
	if err := json.Unmarshal(text, &desired); err != nil {
		return desired, err
	}
	if server, ok := data.Spec.(networkingv1beta1.GatewayServerSpec); ok {
		metadata := &desired.Service.Metadata
		metadata.Annotations = merged(metadata.Annotations, server.ServiceAnnotations)
		metadata.Labels = merged(metadata.Labels, server.ServiceLabels)
	}
	return desired, nil
}

// merged returns the entries of both maps. Those of the second one take precedence.
func merged(entries, more map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, entries)
	maps.Copy(all, more)
	return all
}
