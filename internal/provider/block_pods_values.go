package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// This file has what becomes of `pods`: the settings of a leaf, and back.

// validatePods finds settings that do not go together. It accepts unknown values.
func validatePods(ctx context.Context, pods types.Object, at path.Path) diag.Diagnostics {
	if !given(pods) {
		return nil
	}
	var diags diag.Diagnostics
	at = at.AtName("pods")
	attributes := pods.Attributes()
	replicas, _ := attributes["replicas"].(types.Int32)
	if given(attributes["topology_key"]) && !replicas.IsUnknown() && replicas.ValueInt32() < 2 {
		diags.Append(invalid("topology_key without replicas",
			"`topology_key` says which nodes replicas do not share. It needs `replicas = 2` or more.").
			errorAt(at.AtName("topology_key")))
	}
	tolerations, _ := attributes["tolerations"].(types.List)
	for i, element := range tolerations.Elements() {
		object, ok := element.(types.Object)
		if !ok || !fullyKnown(ctx, object) {
			continue
		}
		var toleration tolerationModel
		diags.Append(object.As(ctx, &toleration, basetypes.ObjectAsOptions{})...)
		if reason := toleration.contradiction(); reason != "" {
			diags.Append(invalid("Kubernetes refuses the toleration", reason).
				errorAt(at.AtName("tolerations").AtListIndex(i)))
		}
	}
	return diags
}

// contradiction says what Kubernetes would refuse, or returns an empty text.
func (m tolerationModel) contradiction() string {
	exists := ptr.Deref(m.Operator, "") == string(corev1.TolerationOpExists)
	switch {
	case m.Key == nil && !exists:
		return "Without `key`, it tolerates every taint, and needs `operator = \"Exists\"`."
	case m.Value != nil && exists:
		return "With `operator = \"Exists\"`, any value is tolerated, and there must be no `value`."
	case m.Seconds != nil && ptr.Deref(m.Effect, "") != string(corev1.TaintEffectNoExecute):
		return "`toleration_seconds` needs `effect = \"NoExecute\"`."
	default:
		return ""
	}
}

// podsSpec returns the settings of a gateway's pods, or nil if there is no block.
func podsSpec(ctx context.Context, set types.Object) (*liqo.PodSettings, diag.Diagnostics) {
	if set.IsNull() {
		return nil, nil
	}
	var model podsModel
	diags := set.As(ctx, &model, basetypes.ObjectAsOptions{})
	pods := &liqo.PodSettings{
		Replicas: ptr.Deref(model.Replicas, 0), LeaseDuration: ptr.Deref(model.LeaseDuration, ""),
		NodeSelector: model.NodeSelector, TopologyKey: ptr.Deref(model.TopologyKey, ""),
		PriorityClassName: ptr.Deref(model.PriorityClassName, ""), Annotations: model.Annotations, Labels: model.Labels,
	}
	for _, one := range model.Tolerations {
		pods.Tolerations = append(pods.Tolerations, corev1.Toleration{
			Key: ptr.Deref(one.Key, ""), Operator: corev1.TolerationOperator(ptr.Deref(one.Operator, "")),
			Value: ptr.Deref(one.Value, ""), Effect: corev1.TaintEffect(ptr.Deref(one.Effect, "")),
			TolerationSeconds: one.Seconds,
		})
	}
	for name, resources := range model.Resources {
		if pods.Resources == nil {
			pods.Resources = map[string]liqo.ContainerResources{}
		}
		pods.Resources[name] = liqo.ContainerResources(resources)
	}
	return pods, diags
}

// podsObject returns the settings of a gateway's pods as its leaf has them, or null.
func podsObject(ctx context.Context, pods *liqo.PodSettings) (types.Object, diag.Diagnostics) {
	if pods == nil {
		return types.ObjectNull(podsTypes), nil
	}
	model := podsModel{
		Replicas: unlessEmpty(pods.Replicas), LeaseDuration: unlessEmpty(pods.LeaseDuration), NodeSelector: pods.NodeSelector,
		TopologyKey: unlessEmpty(pods.TopologyKey), PriorityClassName: unlessEmpty(pods.PriorityClassName),
		Annotations: pods.Annotations, Labels: pods.Labels,
	}
	for _, one := range pods.Tolerations {
		model.Tolerations = append(model.Tolerations, tolerationModel{
			unlessEmpty(one.Key), unlessEmpty(string(one.Operator)), unlessEmpty(one.Value), unlessEmpty(string(one.Effect)),
			one.TolerationSeconds,
		})
	}
	for name, resources := range pods.Resources {
		if model.Resources == nil {
			model.Resources = map[string]resourceModel{}
		}
		model.Resources[name] = resourceModel(resources)
	}
	return types.ObjectValueFrom(ctx, podsTypes, model)
}

// unlessEmpty returns nil for the zero value.
func unlessEmpty[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// observedPods finds which settings of pods both gateways have in common, and takes them from the gateways of the
// state. Settings that the model has for one gateway stay its own. Beside them, the common ones stay as they are.
// Otherwise, settings are common if they are equal.
func (m *shortcutModel) observedPods(ctx context.Context, state *shortcut.State) diag.Diagnostics {
	common, diags := podsSpec(ctx, m.Pods)
	client, server := state.ClientGateway, state.ServerGateway
	clientHasOwn, serverHasOwn := m.clientEnd().hasOwnPods(), m.serverEnd().hasOwnPods()
	same := equality.Semantic.DeepEqual
	switch {
	case client != nil && server != nil && !clientHasOwn && !serverHasOwn && same(client.Pods, server.Pods):
		common = client.Pods
	case client != nil && client.Pods == nil, server != nil && server.Pods == nil:
		common = nil // it would be that gateway's, too
	}
	if client != nil && !clientHasOwn && same(client.Pods, common) {
		rest := *client
		rest.Pods, state.ClientGateway = nil, &rest
	}
	if server != nil && !serverHasOwn && same(server.Pods, common) {
		rest := *server
		rest.Pods, state.ServerGateway = nil, &rest
	}
	object, objectDiags := podsObject(ctx, common)
	m.Pods = object
	return append(diags, objectDiags...)
}
