package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

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
		if reason := contradiction(object.Attributes()); reason != "" {
			diags.Append(invalid("Kubernetes refuses the toleration", reason).
				errorAt(at.AtName("tolerations").AtListIndex(i)))
		}
	}
	return diags
}

// contradiction says what Kubernetes would refuse in a toleration, or returns an empty text.
func contradiction(toleration map[string]attr.Value) string {
	exists := toleration["operator"].Equal(types.StringValue(string(corev1.TolerationOpExists)))
	switch {
	case toleration["key"].IsNull() && !exists:
		return "Without `key`, it tolerates every taint, and needs `operator = \"Exists\"`."
	case !toleration["value"].IsNull() && exists:
		return "With `operator = \"Exists\"`, any value is tolerated, and there must be no `value`."
	case !toleration["toleration_seconds"].IsNull() &&
		!toleration["effect"].Equal(types.StringValue(string(corev1.TaintEffectNoExecute))):
		return "`toleration_seconds` needs `effect = \"NoExecute\"`."
	default:
		return ""
	}
}

// observedPods finds which settings of pods both gateways have in common, and takes them from the gateways of the
// state. Settings that the model has for one gateway stay its own. Beside them, the common ones stay as they are.
// Otherwise, settings are common if they are equal.
func (m *shortcutModel) observedPods(ctx context.Context, state *shortcut.State) {
	var common *liqo.PodSettings
	readInto(ctx, m.Pods, &common)
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
	m.Pods = objectOf(ctx, podsTypes, common)
}
