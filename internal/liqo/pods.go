package liqo

import (
	"context"
	"encoding/json"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	gatewayforge "github.com/liqotech/liqo/pkg/gateway/forge"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// MadeForGateway returns the namespace and name of the Deployment and the Service that Liqo creates for a gateway.
func MadeForGateway(gateway client.Object) client.ObjectKey {
	return client.ObjectKey{Namespace: gateway.GetNamespace(), Name: gatewayforge.GatewayResourceName(gateway.GetName())}
}

// DeploymentOf returns the Deployment that Liqo creates for a gateway, as its technology's object describes it.
func DeploymentOf(gateway client.Object, described networkingv1beta1.DeploymentTemplate) *appsv1.Deployment {
	name := MadeForGateway(gateway)
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: name.Namespace, Name: name.Name,
			Labels: described.Metadata.Labels, Annotations: described.Metadata.Annotations,
		},
		Spec: *described.Spec.DeepCopy(),
	}
	for _, volume := range deployment.Spec.Template.Spec.Volumes {
		if volume.Secret != nil && volume.Secret.SecretName == "" { // Liqo sets it when there is one
			volume.Secret.SecretName = name.Name
		}
	}
	return deployment
}

// PodsOf lists the pods of a gateway, including those that are being deleted. It asks the API server.
func PodsOf(ctx context.Context, leaf *cluster.Leaf, gateway client.Object) ([]corev1.Pod, error) {
	var pods corev1.PodList
	err := leaf.List(ctx, &pods, client.InNamespace(gateway.GetNamespace()), client.MatchingLabels{
		consts.GatewayNameLabel: gateway.GetName(),
	})
	return pods.Items, err
}

// PodSettings are settings of the pods of one gateway. Liqo has them only in templates, for all gateways of a leaf. So
// a gateway with such settings has a template of its own, which is derived from another one. An empty setting leaves
// what that one says. Node selectors, tolerations, labels and annotations add to those there.
type PodSettings struct {
	Replicas          int32                         `json:"replicas,omitempty"          tfsdk:"replicas"`
	LeaseDuration     string                        `json:"leaseDuration,omitempty"     tfsdk:"lease_duration"`
	NodeSelector      map[string]string             `json:"nodeSelector,omitempty"      tfsdk:"node_selector"`
	Tolerations       []Toleration                  `json:"tolerations,omitempty"       tfsdk:"tolerations"`
	TopologyKey       string                        `json:"topologyKey,omitempty"       tfsdk:"topology_key"`
	PriorityClassName string                        `json:"priorityClassName,omitempty" tfsdk:"priority_class_name"`
	Resources         map[string]ContainerResources `json:"resources,omitempty"         tfsdk:"resources"` // by container
	Annotations       map[string]string             `json:"annotations,omitempty"       tfsdk:"annotations"`
	Labels            map[string]string             `json:"labels,omitempty"            tfsdk:"labels"`
}

// Toleration is one of Kubernetes.
type Toleration struct {
	Key      string `json:"key,omitempty"               tfsdk:"key"`
	Operator string `json:"operator,omitempty"          tfsdk:"operator"`
	Value    string `json:"value,omitempty"             tfsdk:"value"`
	Effect   string `json:"effect,omitempty"            tfsdk:"effect"`
	Seconds  *int64 `json:"tolerationSeconds,omitempty" tfsdk:"toleration_seconds"`
}

// ContainerResources are quantities as Kubernetes writes them, by resource.
type ContainerResources struct {
	Requests map[string]string `json:"requests,omitempty" tfsdk:"requests"`
	Limits   map[string]string `json:"limits,omitempty"   tfsdk:"limits"`
}

// DefaultTopologyKey is the label of nodes that the replicas of a gateway don't share, unless the settings have another
// one.
const DefaultTopologyKey = corev1.LabelHostname

// Spread returns the label of nodes that replicas never share. It is empty for a single one.
func (p PodSettings) Spread() string {
	switch {
	case p.Replicas <= 1:
		return ""
	case p.TopologyKey == "":
		return DefaultTopologyKey
	default:
		return p.TopologyKey
	}
}

// Derivation says what the template of a gateway was derived from, and for which settings.
type Derivation struct {
	Base Template    `json:"template"`
	Pods PodSettings `json:"pods"`
}

// A gateway with a derived template has these annotations.
const (
	// DerivationAnnotation has the [Derivation] in JSON.
	DerivationAnnotation = cluster.FieldManager + "/pods"
	// DerivedAnnotation says which version of the derived template the gateway was told of. Liqo does not watch
	// templates, and reads one only when its gateway changes. A gateway has it as long as it may have a derived template.
	DerivedAnnotation = cluster.FieldManager + "/derived-template"
)

// BaseAnnotation is on a derived template. It is the digest of what the template was derived from.
const BaseAnnotation = cluster.FieldManager + "/base"

// Annotation returns the value of [DerivationAnnotation].
func (d Derivation) Annotation() (string, error) {
	text, err := json.Marshal(d)
	return string(text), err
}

// DerivedTemplateOf returns the name of the template that is derived for a gateway. It is the gateway's own.
func DerivedTemplateOf(gateway client.Object) client.ObjectKey {
	return client.ObjectKeyFromObject(gateway)
}

// DerivationOf returns what the template of a gateway was derived from. It is nil if the gateway refers to a template
// that was not derived for it.
func DerivationOf(gateway *Gateway) *Derivation {
	reference := gateway.Template
	if (client.ObjectKey{Namespace: reference.Namespace, Name: reference.Name}) != DerivedTemplateOf(gateway) {
		return nil
	}
	var derivation Derivation
	text, ok := gateway.GetAnnotations()[DerivationAnnotation]
	if !ok || json.Unmarshal([]byte(text), &derivation) != nil {
		return nil
	}
	return &derivation
}

// observedTemplate returns the template of a gateway, or the one that it was derived from, and the settings of the pods
// then.
func observedTemplate(gateway *Gateway) (Template, *PodSettings) {
	if derivation := DerivationOf(gateway); derivation != nil {
		return derivation.Base, &derivation.Pods
	}
	return templateFrom(*gateway.Template), nil
}
