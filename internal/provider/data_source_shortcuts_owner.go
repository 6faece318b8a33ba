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
		MarkdownDescription: "Resources of this provider that own objects of the network, those with most objects " +
			"first. Two `liqo_shortcut` are [a fault](../guides/troubleshooting.md#owners-mixed).",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"owner_id": shownString("The resource's `owner_id`."),
			"resource": shownString("Type of the resource, such as `liqo_shortcut`."),
			"objects": schema.ListAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "The objects that it owns, each with its leaf.",
			},
			"created_by": shownString("User and host that created it. Null if this is not recorded."),
			"created_at": shownString("When it was created, in RFC 3339."),
			"directory":  shownString("Name of the directory in which Terraform ran."),
			"workspace":  shownString("Terraform workspace."),
			"complete": schema.BoolAttribute{
				Computed: true,
				MarkdownDescription: "Whether its create has completed. The next create of the same pair continues one that " +
					"was killed.",
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
