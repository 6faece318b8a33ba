package provider

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int32validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// Descriptions of `pods`. The last one is that of a gateway that has a resource of its own.
const (
	podsOfBoth = "Settings of the pods of both gateways, in templates that the provider derives from theirs: see " +
		"[High availability](../guides/downtime.md#high-availability)."
	podsOfOne = "Settings of this gateway's pods, instead of all of the shortcut's `pods`. `{}`: as in the template."
	podsOfEnd = "Settings of the gateway's pods, in a template that the provider derives from its own: see [High " +
		"availability](../guides/downtime.md#high-availability)."
	podsChange = " A change restarts the gateway, unless it only scales between two and more replicas. Needs [another " +
		"role](../guides/permissions.md#settings-of-gateways-pods). Default: as in the template."
)

// podsAttribute returns the schema of `pods`.
func podsAttribute(description string) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: description,
		Attributes: map[string]schema.Attribute{
			"replicas": schema.Int32Attribute{
				Optional: true,
				MarkdownDescription: "Number of pods, each on another node; one of them is active. Default: as in the " +
					"template, usually 1.",
				Validators: []validator.Int32{int32validator.AtLeast(1)},
			},
			"lease_duration": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Lease that the active pod renews, from `2s` to `1h`. If it fails to for so long, " +
					"another pod takes over. Default: `15s`.",
				Validators: []validator.String{leaseDuration()},
			},
			"node_selector": textsAttribute("Labels that nodes must have, besides those in the template.",
				metadataKey(), labelValue()),
			"tolerations": tolerationsAttribute(),
			"topology_key": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Node label whose value no two replicas share, such as `topology.kubernetes.io/zone`. " +
					"Nodes without it get no pod. Default: `kubernetes.io/hostname`.",
				Validators: []validator.String{metadataKey()},
			},
			"priority_class_name": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "PriorityClass of the pods. Default: as in the template.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"resources": resourcesAttribute(),
			"annotations": textsAttribute("Annotations of the pods. They override the template's.",
				metadataKey()),
			"labels": textsAttribute("Labels of the pods. They override the template's, but not Liqo's.",
				metadataKey(), labelValue()),
		},
	}
}

// textsAttribute returns the schema of a map of texts that is not empty.
func textsAttribute(description string, keys validator.String, values ...validator.String) schema.MapAttribute {
	return schema.MapAttribute{
		Optional: true, ElementType: types.StringType, MarkdownDescription: description,
		Validators: []validator.Map{
			mapvalidator.SizeAtLeast(1), mapvalidator.NoNullValues(), mapvalidator.KeysAre(keys),
			mapvalidator.ValueStringsAre(values...),
		},
	}
}

func tolerationsAttribute() schema.ListNestedAttribute {
	text := func(description string, validators ...validator.String) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: validators}
	}
	return schema.ListNestedAttribute{
		Optional:            true,
		MarkdownDescription: "Tolerations of the pods, besides the template's.",
		Validators:          []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues()},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"key": text("Key of the taint. Default: every key, with `operator = \"Exists\"`.", metadataKey()),
			"operator": text("`Equal` or `Exists`. Default: `Equal`.",
				stringvalidator.OneOf(string(corev1.TolerationOpEqual), string(corev1.TolerationOpExists))),
			"value": text("Value of the taint.", stringvalidator.LengthAtLeast(1)),
			"effect": text("`NoSchedule`, `PreferNoSchedule` or `NoExecute`. Default: every effect.",
				stringvalidator.OneOf(string(corev1.TaintEffectNoSchedule), string(corev1.TaintEffectPreferNoSchedule),
					string(corev1.TaintEffectNoExecute))),
			"toleration_seconds": schema.Int64Attribute{
				Optional:            true,
				MarkdownDescription: "With `NoExecute`: seconds until a pod leaves a node with the taint. Default: never.",
				Validators:          []validator.Int64{int64validator.AtLeast(0)},
			},
		}},
	}
}

func resourcesAttribute() schema.MapNestedAttribute {
	quantities := func(description string) schema.MapAttribute {
		return textsAttribute(description, computeResource(), quantity())
	}
	return schema.MapNestedAttribute{
		Optional: true,
		MarkdownDescription: "Resources by container: Liqo's are `gateway`, `wireguard` and `geneve`. Default: as in " +
			"the template.",
		Validators: []validator.Map{
			mapvalidator.SizeAtLeast(1), mapvalidator.NoNullValues(), mapvalidator.KeysAre(containerName()),
		},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"requests": quantities("Requests, such as `{ cpu = \"500m\" }`."),
			"limits":   quantities("Limits, such as `{ memory = \"256Mi\" }`."),
		}},
	}
}

// containerName accepts a container that has resources. Who writes them as for a single container in Kubernetes would
// otherwise lose them: Terraform drops what an object can't have.
func containerName() validator.String {
	return accepting("Resources without a container",
		"must be the name of a container. Requests and limits belong to one: "+
			"`resources = { wireguard = { requests = { cpu = \"500m\" } } }`",
		func(text string) bool { return text != "requests" && text != "limits" })
}

// computeResource accepts what a container can have in Kubernetes: resources of its own, and those of device plugins.
func computeResource() validator.String {
	own := []string{string(corev1.ResourceCPU), string(corev1.ResourceMemory), string(corev1.ResourceEphemeralStorage)}
	return accepting("Unknown container resource",
		"must be cpu, memory, ephemeral-storage, hugepages- with a size, or the resource of a device plugin, such as "+
			"example.com/device", func(text string) bool {
			return slices.Contains(own, text) || strings.HasPrefix(text, corev1.ResourceHugePagesPrefix) ||
				strings.Contains(text, "/") && len(validation.IsQualifiedName(text)) == 0
		})
}

// The shortest and the longest lease of an active replica. The pod renews it 5 times in that time.
const (
	leastLease = 2 * time.Second
	mostLease  = time.Hour
)

// leaseDuration accepts the lease of an active replica. Kubernetes writes a lease in whole seconds: a part of a second
// would be cut off, and not from the deadline to renew it.
func leaseDuration() validator.String {
	return accepting("Invalid lease duration",
		"must be a duration of whole seconds from 2s to 1h, such as 4s", func(text string) bool {
			lease, err := time.ParseDuration(text)
			return err == nil && lease >= leastLease && lease <= mostLease && lease%time.Second == 0
		})
}

// quantity accepts an amount of a resource.
func quantity() validator.String {
	return accepting("Not a quantity",
		"must be a quantity of Kubernetes that is not negative, such as 500m or 256Mi", func(text string) bool {
			amount, err := resource.ParseQuantity(text)
			return err == nil && amount.Sign() >= 0
		})
}

var podsTypes = attributeTypes(podsAttribute("").Attributes)

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
