package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/direct"
)

// Schema implements [resource.Resource].
func (r *directServiceResource) Schema(
	ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse,
) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lets the offloaded pods of a Service meet over shortcuts. By default, a pod in one leaf " +
			"reaches the pods of the Service in other leaves through the central cluster, also if a shortcut connects the " +
			"leaves. This resource sets the annotation `liqo.io/use-direct-connections` on the Service in the central " +
			"cluster, and nothing else of the Service. It waits until the leaves use the direct addresses. A destroy " +
			"removes the annotation and waits until they no longer do. It needs Liqo 1.2 in the central cluster and in " +
			"the leaves.",
		Attributes: map[string]schema.Attribute{
			"id": computedString("The Service, as `cluster_id/namespace/name`."),
			"cluster": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Name of the central cluster: a key of the provider's `clusters`, or a context of its " +
					"kubeconfig. The provider finds the leaves among its clusters by their cluster IDs. A change forces " +
					"replacement if the new name refers to another cluster.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"namespace": nameInCluster("Namespace of the Service in the central cluster, which is offloaded to the leaves."),
			"name":      nameInCluster("Name of the Service."),
			"timeouts":  directServiceTimeouts.attribute(ctx),

			"cluster_id":  computedString("Liqo's cluster ID of the central cluster."),
			"cluster_uid": clusterUIDAttribute("the central cluster"),
			"owner_id": computedString("Random ID of this resource instance. Kubernetes records it in the field manager of " +
				"the annotation. The annotation stays while someone else has set it, too."),
			"status": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "`Direct`: every leaf reaches the pods in other leaves directly. `Partial`: at least one " +
					"leaf cannot, and `endpoints` shows which one, and why; or the provider cannot read a leaf. " +
					"`Outdated`: a network of two leaves has changed, and Liqo has not looked at the Service since and would not " +
					"by itself; the next apply makes it do so. `Undone`: someone has removed the annotation; the next apply sets " +
					"it again.",
			},
			"endpoints": schema.ListNestedAttribute{
				Computed: true,
				MarkdownDescription: "How each leaf reaches each pod of the Service, sorted by the leaf's cluster ID and the " +
					"pod's name. A leaf that the provider cannot read keeps what was last known of it.",
				NestedObject: schema.NestedAttributeObject{Attributes: directEndpointAttributes()},
			},
		},
	}
}

func directEndpointAttributes() map[string]schema.Attribute {
	shown := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"leaf":    shown("Name of the leaf from which the pod is reached."),
		"pod":     shown("Name of the pod."),
		"cluster": shown("Name of the cluster in which the pod runs; its cluster ID if the provider has no such cluster."),
		"address": shown("IP address that the leaf uses. Null if it uses none."),
		"path": shown("`Local`: the pod runs in the leaf. `Direct`: over the network of the two leaves. `FailedOver`: " +
			"through the central cluster until the network of the two leaves is connected again; Liqo 1.2 does not do so yet. " +
			"`Central`: through the central cluster. `Stale`: to an address of a network that no longer exists; packets are " +
			"lost. `None`: the leaf has no address for the pod."),
		"problem": shown("Why the path is not direct, or why the leaf sends no packets to the pod, and what would help. " +
			"Null if nothing is wrong."),
	}
}

// nameInCluster returns the schema of a name that another object would have.
func nameInCluster(description string) schema.Attribute {
	return schema.StringAttribute{
		Required:            true,
		MarkdownDescription: description + " A change forces replacement.",
		PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
		Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
	}
}

var directServiceTimeouts = timeoutTexts{
	create: "until the leaves use the direct addresses",
	update: "of a repair",
	remove: "until no leaf uses direct addresses",
}

// directServiceModel is a liqo_direct_service in configuration, plan and state.
type directServiceModel struct {
	ID         types.String   `tfsdk:"id"`
	Cluster    types.String   `tfsdk:"cluster"`
	Namespace  types.String   `tfsdk:"namespace"`
	Name       types.String   `tfsdk:"name"`
	Timeouts   timeouts.Value `tfsdk:"timeouts"`
	ClusterID  types.String   `tfsdk:"cluster_id"`
	ClusterUID types.String   `tfsdk:"cluster_uid"`
	OwnerID    types.String   `tfsdk:"owner_id"`
	Status     types.String   `tfsdk:"status"`
	Endpoints  types.List     `tfsdk:"endpoints"`
}

// directEndpointTypes are the types of an entry of `endpoints`.
var directEndpointTypes = attributeTypes(directEndpointAttributes())

// observed copies what the centre and the leaves show into the model.
func (m *directServiceModel) observed(service *direct.Service, state direct.State) {
	m.ID = types.StringValue(service.ID())
	m.ClusterID, m.ClusterUID = types.StringValue(string(service.Centre.ID)), clusterUID(service.Centre)
	m.Status = types.StringValue(string(state.StatusAfter(direct.Status(m.Status.ValueString()))))
	var all []attr.Value
	for _, leaf := range state.Leaves {
		if leaf.Err != nil {
			all = append(all, m.endpointsOf(leaf.Name)...)
			continue
		}
		for _, endpoint := range leaf.Endpoints {
			all = append(all, endpointValue(endpoint))
		}
	}
	m.Endpoints = types.ListValueMust(types.ObjectType{AttrTypes: directEndpointTypes}, all)
}

// endpointsOf returns what was last known of a leaf.
func (m *directServiceModel) endpointsOf(leaf string) []attr.Value {
	var all []attr.Value
	for _, value := range m.Endpoints.Elements() {
		endpoint, ok := value.(types.Object)
		if ok && endpoint.Attributes()["leaf"].Equal(types.StringValue(leaf)) {
			all = append(all, endpoint)
		}
	}
	return all
}

func endpointValue(e direct.Endpoint) attr.Value {
	return types.ObjectValueMust(directEndpointTypes, map[string]attr.Value{
		"leaf": types.StringValue(e.Leaf), "pod": types.StringValue(e.Pod), "cluster": types.StringValue(e.Cluster),
		"address": stringOrNull(e.Address), "path": types.StringValue(string(e.Path)), "problem": stringOrNull(e.Problem),
	})
}
