package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/direct"
)

func directServiceSchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Lets the offloaded pods of a Service reach each other over shortcuts, and not through the " +
			"central cluster. It sets the annotation `liqo.io/use-direct-connections` on the Service in the central " +
			"cluster, and waits until the leaves use the direct addresses. A destroy undoes both. Needs Liqo 1.2 or newer " +
			"in the central cluster and in the leaves.",
		Attributes: map[string]schema.Attribute{
			"id": computedString("The Service, as `cluster_id/namespace/name`."),
			"cluster": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Name of the central cluster, in the provider's `clusters` or kubeconfig. The provider " +
					"finds the leaves among its clusters by their cluster IDs. A change to another cluster forces " +
					"replacement.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"namespace": nameInCluster("Namespace of the Service in the central cluster."),
			"name":      nameInCluster("Name of the Service."),
			"timeouts":  timeoutsAttribute(ctx),

			"cluster_id":  computedString("Liqo's cluster ID of the central cluster."),
			"cluster_uid": clusterUIDAttribute("the central cluster"),
			"owner_id": computedString("Random ID of this resource, which Kubernetes records in the field manager of the " +
				"annotation."),
			"status": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "`Direct`: every leaf reaches the pods in other leaves directly. `Partial`: a leaf " +
					"does not, and `endpoints` says why, or it cannot be read. `Outdated`: a network has changed since Liqo " +
					"looked at the Service; the next apply makes it look again. `Undone`: the annotation was removed; the " +
					"next apply sets it.",
			},
			"endpoints": schema.ListNestedAttribute{
				Computed: true,
				MarkdownDescription: "How each leaf reaches each pod, sorted by the leaf's cluster ID and the pod's name. " +
					"Of a leaf that cannot be read, what was last known.",
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
		"cluster": shown("Name of the cluster in which the pod runs; its cluster ID if it is not one of the provider's."),
		"address": shown("IP address that the leaf uses. Null if it uses none."),
		"path": shown("`Local`: in the leaf itself. `Direct`: over the network of the two leaves. `FailedOver`: through " +
			"the central cluster until that network is connected again, which no released Liqo does. `Central`: through " +
			"the central cluster. `Stale`: to an address of a network that is gone; packets are lost. `None`: the leaf " +
			"has no address."),
		"problem": shown("Why the path is not direct, or why the leaf sends the pod no packets, and what would help. " +
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
