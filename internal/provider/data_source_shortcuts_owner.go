package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// ownersAttribute returns the schema of `owners` of a network in liqo_shortcuts.
func ownersAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Computed: true,
		MarkdownDescription: "Every resource of this provider that owns an object of the network, as recorded on the " +
			"leaves, who owns most objects first. Empty if there is none. Two `liqo_shortcut` are " +
			"[a fault](../guides/troubleshooting.md#owners-mixed). Each resource for one end is an owner of its own.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"owner_id": shownString("The `owner_id` of the resource, in its Terraform state."),
			"resource": shownString("Type of the resource, such as `liqo_shortcut` or `liqo_configuration`."),
			"objects": schema.ListAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "The objects that it owns, each with its leaf.",
			},
			"created_by": shownString("User and host that created the resource. Null if the leaves do not record it."),
			"created_at": shownString("When the resource was created: RFC 3339, UTC."),
			"directory":  shownString("Name of the directory in which Terraform ran."),
			"workspace":  shownString("Terraform workspace."),
			"complete": schema.BoolAttribute{
				Computed: true,
				MarkdownDescription: "Whether the create of the resource has completed. It is `false` during the create, and " +
					"after an apply that was killed. The next create of the same pair continues from there.",
			},
		}},
	}
}

// ownerModel is one of the `owners`.
type ownerModel struct {
	OwnerID   types.String   `tfsdk:"owner_id"`
	Resource  types.String   `tfsdk:"resource"`
	Objects   []types.String `tfsdk:"objects"`
	CreatedBy types.String   `tfsdk:"created_by"`
	CreatedAt types.String   `tfsdk:"created_at"`
	Directory types.String   `tfsdk:"directory"`
	Workspace types.String   `tfsdk:"workspace"`
	Complete  types.Bool     `tfsdk:"complete"`
}

func ownersOf(owners []shortcut.Ownership) []ownerModel {
	models := make([]ownerModel, len(owners))
	for i, owner := range owners {
		models[i] = ownerModel{
			OwnerID: types.StringValue(owner.Token), Resource: types.StringValue(owner.Resource.String()),
			CreatedBy: stringOrNull(owner.Origin.CreatedBy), CreatedAt: timeOrNull(owner.Origin.CreatedAt),
			Directory: stringOrNull(owner.Origin.Directory), Workspace: stringOrNull(owner.Origin.Workspace),
			Complete: types.BoolValue(owner.Complete),
		}
		for _, object := range owner.Objects {
			models[i].Objects = append(models[i].Objects, types.StringValue(object))
		}
	}
	return models
}
