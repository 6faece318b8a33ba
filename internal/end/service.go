package end

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// serviceMetadataAnnotation is on a GatewayServer. Its value is a [metadataKeys] as JSON: the annotations
// and labels that the owner has given the Service. Liqo adds new ones to the Service, but does not remove
// those that are no longer wanted.
const serviceMetadataAnnotation = ManagedBy + "/service-metadata"

// metadataKeys are the keys of annotations and labels, sorted.
type metadataKeys struct {
	Annotations []string `json:"annotations,omitempty"`
	Labels      []string `json:"labels,omitempty"`
}

// serviceKeys returns the keys that a gateway's settings give its Service.
func serviceKeys(spec networkingv1beta1.GatewayServerSpec) metadataKeys {
	return metadataKeys{
		Annotations: slices.Sorted(maps.Keys(spec.ServiceAnnotations)),
		Labels:      slices.Sorted(maps.Keys(spec.ServiceLabels)),
	}
}

// givenServiceKeys returns the keys that the Service of a gateway may have from its present and earlier
// settings.
func givenServiceKeys(gateway *networkingv1beta1.GatewayServer) metadataKeys {
	var earlier metadataKeys
	// Someone may have edited the annotation. Then only the present settings are known.
	_ = json.Unmarshal([]byte(gateway.Annotations[serviceMetadataAnnotation]), &earlier)
	return earlier.and(serviceKeys(gateway.Spec))
}

func (k metadataKeys) and(more metadataKeys) metadataKeys {
	union := func(a, b []string) []string { return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b)))) }
	return metadataKeys{union(k.Annotations, more.Annotations), union(k.Labels, more.Labels)}
}

// notIn returns the keys that the metadata of a Service does not want.
func (k metadataKeys) notIn(wanted metav1.ObjectMeta) metadataKeys {
	without := func(keys []string, wanted map[string]string) []string {
		return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { _, ok := wanted[key]; return ok })
	}
	return metadataKeys{without(k.Annotations, wanted.Annotations), without(k.Labels, wanted.Labels)}
}

func (k metadataKeys) empty() bool { return len(k.Annotations) == 0 && len(k.Labels) == 0 }

// recordOn writes the keys to a gateway that is to be applied.
func (k metadataKeys) recordOn(gateway client.Object) {
	annotations := maps.Clone(gateway.GetAnnotations())
	delete(annotations, serviceMetadataAnnotation)
	gateway.SetAnnotations(annotations)
	if text, err := json.Marshal(k); err == nil && !k.empty() { // lists of strings can't fail
		setAnnotation(gateway, serviceMetadataAnnotation, string(text))
	}
}

// removal returns a merge patch that removes the keys from an object.
func (k metadataKeys) removal() (client.Patch, error) {
	nothing := func(keys []string) map[string]any {
		gone := map[string]any{}
		for _, key := range keys {
			gone[key] = nil
		}
		return gone
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"annotations": nothing(k.Annotations), "labels": nothing(k.Labels),
	}})
	return client.RawPatch(types.MergePatchType, patch), err
}

// changeService waits until the Service of a gateway is as the gateway's technology wants it. Then it
// removes the annotations and labels of earlier settings. It returns the Service.
func (e *End) changeService(
	ctx context.Context, gateway client.Object, given metadataKeys, wanted networkingv1beta1.ServiceTemplate,
) (*corev1.Service, error) {
	name := cluster.MadeForGateway(gateway)
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name}}
	err := e.Leaf.UntilObject(ctx, service, func(exists bool) bool {
		return exists && equality.Semantic.DeepDerivative(wanted.Spec, service.Spec) &&
			equality.Semantic.DeepDerivative(wanted.Metadata.Annotations, service.Annotations) &&
			equality.Semantic.DeepDerivative(wanted.Metadata.Labels, service.Labels)
	})
	if err != nil {
		return nil, explain.Wait(ctx, e.Subject(), "Liqo to change the gateway's Service", err)
	}
	stale := given.notIn(wanted.Metadata)
	if stale.empty() {
		return service, nil
	}
	patch, err := stale.removal()
	if err != nil {
		return nil, err
	}
	return service, e.Leaf.Explain(e.Leaf.Live.Patch(ctx, service, patch, client.FieldOwner(cluster.FieldManager)))
}

// reaches reports whether an endpoint, as a gateway reports it, is that of the Service. Liqo reports the
// endpoint some time after a change of the Service.
func (e Endpoint) reaches(service *corev1.Service) bool {
	if len(service.Spec.Ports) == 0 {
		return false
	}
	port := service.Spec.Ports[0]
	inCluster := slices.Equal(e.Addresses, service.Spec.ClusterIPs)
	switch service.Spec.Type {
	case corev1.ServiceTypeClusterIP:
		return inCluster && e.Port == port.Port
	case corev1.ServiceTypeNodePort:
		return !inCluster && e.Port == port.NodePort
	default:
		asked := service.Spec.LoadBalancerIP //nolint:staticcheck // deprecated, but Liqo's API has only this
		return !inCluster && e.Port == port.Port && (asked == "" || slices.Contains(e.Addresses, asked))
	}
}

// ServiceLost reports whether a gateway has no Service and will not get one. Liqo creates a gateway's
// Deployment and then its Service. If there is a Deployment but no Service, because someone deleted
// the Service or the API server refused it, Liqo's controller of WireGuard gateways stops before it
// creates one, and keeps the old address in the status. ServiceLost sends no request while the tunnel
// is up.
func (e *End) ServiceLost(ctx context.Context, found Objects) (bool, error) {
	technology := found.GatewayServer.Status.ServerRef
	if technology == nil || technology.Kind != networkingv1beta1.WgGatewayServerKind {
		return false, nil
	}
	if found.ConnectionStatus(found.GatewayServer) == networkingv1beta1.Connected {
		return false, nil
	}
	name := cluster.MadeForGateway(found.GatewayServer)
	if lost, err := e.Leaf.Gone(ctx, corev1.SchemeGroupVersion.WithKind("Service"), name); err != nil || !lost {
		return false, err
	}
	lost, err := e.Leaf.Gone(ctx, appsv1.SchemeGroupVersion.WithKind("Deployment"), name)
	return !lost, err
}
