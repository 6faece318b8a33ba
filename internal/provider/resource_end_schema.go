package provider

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// oneEndInGuide ends the description of each resource for one end.
const oneEndInGuide = " Use it if you have credentials for this cluster only; with credentials for both, use " +
	"`liqo_shortcut`. See [Separate credentials per cluster](../guides/separate-credentials.md)."

// endAttributes returns the attributes of a resource for one end: its own, and those that all of them have.
func endAttributes(ctx context.Context, own map[string]schema.Attribute) map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{
		"id": computedString("The two cluster IDs, as `cluster_id/remote_cluster_id`."),
		"cluster": schema.StringAttribute{
			Required: true,
			MarkdownDescription: "Name of this cluster, in the provider's `clusters` or kubeconfig. A change to another " +
				"cluster forces replacement.",
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"remote_cluster_id": schema.StringAttribute{
			Required: true,
			MarkdownDescription: "Liqo's cluster ID of the remote cluster: `id` of its `liqo_cluster` data source. A " +
				"change forces replacement.",
			Validators:    []validator.String{clusterID()},
			PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
		},
		"namespace": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Namespace of the object. It must exist, and should be the same for all objects of the " +
				"network. Default: the tenant namespace, which the first resource creates and the last one removes. A " +
				"change forces replacement.",
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			PlanModifiers: []planmodifier.String{
				stringplanmodifier.UseStateForUnknown(), stringplanmodifier.RequiresReplaceIfConfigured(),
			},
		},
		"cluster_id":  computedString("Liqo's cluster ID of this cluster."),
		"cluster_uid": clusterUIDAttribute("this cluster"),
		"owner_id": computedString("Random ID of this resource, recorded on its object as the owner. Null after an " +
			"import until it is recorded."),
		"timeouts": timeoutsAttribute(ctx),
	}
	maps.Copy(attributes, own)
	return attributes
}

// endCommonModel has the attributes that all resources for one end have.
type endCommonModel struct {
	ID              types.String   `tfsdk:"id"`
	Cluster         types.String   `tfsdk:"cluster"`
	RemoteClusterID types.String   `tfsdk:"remote_cluster_id"`
	Namespace       types.String   `tfsdk:"namespace"`
	ClusterID       types.String   `tfsdk:"cluster_id"`
	ClusterUID      types.String   `tfsdk:"cluster_uid"`
	OwnerID         types.String   `tfsdk:"owner_id"`
	Timeouts        timeouts.Value `tfsdk:"timeouts"`
}

func (m *endCommonModel) common() *endCommonModel { return m }

// The following are what a model without a gateway, or without checks of its own, does.

func (m *endCommonModel) validate(context.Context) diag.Diagnostics { return nil }

func (m *endCommonModel) intent(context.Context) end.Intent { return end.Intent{} }

func (m *endCommonModel) check(context.Context, shortcut.EndObject) diag.Diagnostics { return nil }

func (m *endCommonModel) rules() types.Set { return types.SetNull(ruleType) }

func (m *endCommonModel) planChanges() {}

func (m *endCommonModel) keySecret() liqo.KeySecret { return liqo.KeySecret{} }

// recorded returns the recorded leaf.
func (m *endCommonModel) recorded() recordedLeaf {
	return recordedLeaf{
		attribute: "cluster", name: m.Cluster.ValueString(), id: m.ClusterID.ValueString(), uid: m.ClusterUID.ValueString(),
		owns: hasOwn(m.RemoteClusterID.ValueString(), m.OwnerID.ValueString()),
	}
}

// observed copies what does not depend on the object.
func (m *endCommonModel) observed(leaf *cluster.Leaf, observed shortcut.EndObjectState, own ownership) {
	m.locate(leaf)
	m.Namespace = types.StringValue(observed.Namespace)
	m.OwnerID = own.id()
}

// locate sets the attributes that follow from the leaf.
func (m *endCommonModel) locate(leaf *cluster.Leaf) {
	m.ClusterID, m.ClusterUID = types.StringValue(string(leaf.ID)), clusterUID(leaf)
	m.ID = types.StringUnknown()
	if given(m.RemoteClusterID) {
		m.ID = types.StringValue(m.ClusterID.ValueString() + "/" + m.RemoteClusterID.ValueString())
	}
}

func (m *endCommonModel) life() life {
	return life{leaves: []types.String{m.Cluster}, ownerID: m.OwnerID, timeouts: m.Timeouts}
}

// identify sets the resource identity.
func (m *endCommonModel) identify(ctx context.Context, identity *tfsdk.ResourceIdentity) diag.Diagnostics {
	if identity == nil || m.ClusterID.ValueString() == "" {
		return nil
	}
	return identity.Set(ctx, endIdentity{ClusterID: m.ClusterID, RemoteClusterID: m.RemoteClusterID})
}

// keepKnown replaces a value by the planned one, if the plan has one.
func keepKnown[T attr.Value](value *T, planned T) {
	if given(planned) {
		*value = planned
	}
}
