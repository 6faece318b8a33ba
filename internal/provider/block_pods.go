package provider

import (
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int32validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Descriptions of `pods`. The last one is that of a gateway that has a resource of its own.
const (
	podsOfBoth = "Settings of the pods of both gateways. A gateway with `pods` of its own has none of these. The " +
		"provider derives a template from the `template` of each gateway, or from Liqo's, and keeps it beside the gateway. "
	podsOfOne = "Settings of the pods of this gateway, instead of all those in `pods` of the shortcut. With `{}`, the " +
		"pods are as the template says. Default: `pods` of the shortcut."
	podsOfEnd = "Settings of the pods of this gateway. The provider derives a template from `template`, or from Liqo's, " +
		"and keeps it beside the gateway. "
	podsChange = "When the other template changes, for example by an update of Liqo, a plan says so, and an apply " +
		"derives it again. A change is made in place, and restarts the gateway; only scaling between two and more replicas " +
		"restarts nothing. If both gateways restart for their pods, the client's waits until the server's has. It needs " +
		"[a role of its own](../guides/permissions.md#settings-of-gateways-pods). Default: the pods are as the " +
		"template says."
)

// podsAttribute returns the schema of `pods`.
func podsAttribute(description string) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: description,
		Attributes: map[string]schema.Attribute{
			"replicas": schema.Int32Attribute{
				Optional: true,
				MarkdownDescription: "Number of pods. One is active; another one takes over when it is gone. They never share a " +
					"node, see `topology_key`. With two or more, a change leaves one pod until a new one is ready, which may run " +
					"beside it on the same node, and liveness probes restart containers for which others would wait forever. " +
					"Default: as in the template, usually one.",
				Validators: []validator.Int32{int32validator.AtLeast(1)},
			},
			"lease_duration": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Duration of the lease that the active pod renews, in whole seconds from `2s` to `1h`. When " +
					"it is silent for so long, another one takes over: see [High " +
					"availability](../guides/downtime.md#high-availability). A graceful shutdown takes as long: Liqo 1.2.0 does not " +
					"release the lease. A short lease costs more requests to the API server, and the active pod gives up when the " +
					"API server is unavailable for as long. Default: `15s`, as in Liqo.",
				Validators: []validator.String{leaseDuration()},
			},
			"node_selector": textsAttribute("Labels of the nodes on which the pods may run. They add to the template's.",
				metadataKey(), labelValue()),
			"tolerations": tolerationsAttribute(),
			"topology_key": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Label of nodes for whose value no two replicas run at the same time, for example " +
					"`topology.kubernetes.io/zone`. Nodes without the label get no pod. Needs `replicas` of two or more. Default: " +
					"`kubernetes.io/hostname`.",
				Validators: []validator.String{metadataKey()},
			},
			"priority_class_name": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "PriorityClass of the pods. Default: as in the template.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"resources": resourcesAttribute(),
			"annotations": textsAttribute("Annotations to add to the pods. They override the template's.",
				metadataKey()),
			"labels": textsAttribute("Labels to add to the pods. They override the template's, but not those of Liqo.",
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
		Optional: true,
		MarkdownDescription: "Taints of nodes that the pods tolerate, besides those of the template. Without one for " +
			"`node.kubernetes.io/unreachable`, Kubernetes moves a pod 300 seconds after its node was found to be lost.",
		Validators: []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues()},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"key": text("Key of the taint. Default: every key, with `operator = \"Exists\"`.", metadataKey()),
			"operator": text("`Equal`: the taint has `value`. `Exists`: it has any value. Default: `Equal`.",
				stringvalidator.OneOf(string(corev1.TolerationOpEqual), string(corev1.TolerationOpExists))),
			"value": text("Value of the taint.", stringvalidator.LengthAtLeast(1)),
			"effect": text("`NoSchedule`, `PreferNoSchedule` or `NoExecute`. Default: every effect.",
				stringvalidator.OneOf(string(corev1.TaintEffectNoSchedule), string(corev1.TaintEffectPreferNoSchedule),
					string(corev1.TaintEffectNoExecute))),
			"toleration_seconds": schema.Int64Attribute{
				Optional: true,
				MarkdownDescription: "For `effect = \"NoExecute\"`: how long a pod stays on a node that gets the taint. Default: " +
					"forever.",
				Validators: []validator.Int64{int64validator.AtLeast(0)},
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
		MarkdownDescription: "Resources of the containers, by the container's name. Liqo's are `gateway`, `wireguard` and " +
			"`geneve`. For example `{ wireguard = { requests = { cpu = \"500m\" } } }`. Default: as in the template.",
		Validators: []validator.Map{
			mapvalidator.SizeAtLeast(1), mapvalidator.NoNullValues(), mapvalidator.KeysAre(containerName()),
		},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"requests": quantities("What the container requests, for example `{ cpu = \"500m\" }`."),
			"limits":   quantities("What it may use at most, for example `{ memory = \"256Mi\" }`."),
		}},
	}
}

// containerName accepts a container that has resources. Who writes them as for a single container in Kubernetes would
// otherwise lose them: Terraform drops what an object can't have.
func containerName() validator.String {
	return textValidator{
		headline: "No container for these resources",
		must: "must be the name of a container. Requests and limits belong to one: `resources = { wireguard = { requests = " +
			"{ cpu = \"500m\" } } }`",
		valid: func(text string) bool { return text != "requests" && text != "limits" },
	}
}

// computeResource accepts what a container can have in Kubernetes: resources of its own, and those of device plugins.
func computeResource() validator.String {
	own := []string{string(corev1.ResourceCPU), string(corev1.ResourceMemory), string(corev1.ResourceEphemeralStorage)}
	return textValidator{
		headline: "Not a resource of containers",
		must: "must be cpu, memory, ephemeral-storage, hugepages- with a size, or the resource of a device plugin, such as " +
			"example.com/device",
		valid: func(text string) bool {
			return slices.Contains(own, text) || strings.HasPrefix(text, corev1.ResourceHugePagesPrefix) ||
				strings.Contains(text, "/") && len(validation.IsQualifiedName(text)) == 0
		},
	}
}

// The shortest and the longest lease of an active replica. The pod renews it 5 times in that time.
const (
	leastLease = 2 * time.Second
	mostLease  = time.Hour
)

// leaseDuration accepts the lease of an active replica. Kubernetes writes a lease in whole seconds: a part of a second
// would be cut off, and not from the deadline to renew it.
func leaseDuration() validator.String {
	return textValidator{
		headline: "Not a duration of a lease",
		must:     "must be a duration of whole seconds from 2s to 1h, such as 4s",
		valid: func(text string) bool {
			lease, err := time.ParseDuration(text)
			return err == nil && lease >= leastLease && lease <= mostLease && lease%time.Second == 0
		},
	}
}

// quantity accepts an amount of a resource.
func quantity() validator.String {
	return textValidator{
		headline: "Not a quantity",
		must:     "must be a quantity of Kubernetes that is not negative, such as 500m or 256Mi",
		valid: func(text string) bool {
			amount, err := resource.ParseQuantity(text)
			return err == nil && amount.Sign() >= 0
		},
	}
}

var podsTypes = attributeTypes(podsAttribute("").Attributes)
