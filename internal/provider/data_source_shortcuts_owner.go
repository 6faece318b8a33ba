package provider

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// ownerAttribute returns the schema of `owner` of a network in liqo_shortcuts.
func ownerAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Computed: true,
		MarkdownDescription: "The `liqo_shortcut` that owns the network, as recorded on the leaves. Null if there is no " +
			"owner, or if the leaves record several: see `owners`.",
		Attributes: ownerAttributes(),
	}
}

// ownersAttribute returns the schema of `owners` of a network in liqo_shortcuts.
func ownersAttribute() schema.Attribute {
	attributes := map[string]schema.Attribute{
		"owner_id": shownString("The `owner_id` of the resource, in its Terraform state."),
		"resource": shownString("Type of the resource, such as `liqo_shortcut` or `liqo_configuration`."),
		"objects": schema.ListAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: "The objects that it owns, each with its leaf.",
		},
	}
	maps.Copy(attributes, ownerAttributes())
	return schema.ListNestedAttribute{
		Computed: true,
		MarkdownDescription: "Every resource of this provider that owns an object of the network, who owns most objects " +
			"first. Empty if there is none. Two `liqo_shortcut` are " +
			"[a fault](../guides/troubleshooting.md#owners-mixed). Each resource for one end is an owner of its own.",
		NestedObject: schema.NestedAttributeObject{Attributes: attributes},
	}
}

func ownerAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"who":       shownString("User and host that created the resource. Null if the leaves do not record it."),
		"folder":    shownString("Name of the folder in which Terraform ran."),
		"workspace": shownString("Terraform workspace."),
		"made_at":   shownString("When the resource was created: RFC 3339, UTC."),
		"complete": schema.BoolAttribute{
			Computed: true,
			MarkdownDescription: "Whether the create of the resource has completed. It is `false` during the create, and " +
				"after an apply that was killed. The next create of the same pair continues from there.",
		},
	}
}

// ownerModel is an `owner`.
type ownerModel struct {
	Who       types.String `tfsdk:"who"`
	Folder    types.String `tfsdk:"folder"`
	Workspace types.String `tfsdk:"workspace"`
	MadeAt    types.String `tfsdk:"made_at"`
	Complete  types.Bool   `tfsdk:"complete"`
}

// ownersModel is one of the `owners`.
type ownersModel struct {
	ownerModel

	OwnerID  types.String   `tfsdk:"owner_id"`
	Resource types.String   `tfsdk:"resource"`
	Objects  []types.String `tfsdk:"objects"`
}

// ownerOf returns the owner of a network if there is one, and only one.
func ownerOf(shortcuts []shortcut.Ownership) *ownerModel {
	if len(shortcuts) != 1 {
		return nil
	}
	model := newOwnerModel(shortcuts[0])
	return &model
}

func newOwnerModel(owner shortcut.Ownership) ownerModel {
	return ownerModel{
		Who:       stringOrNull(owner.Origin.Who),
		Folder:    stringOrNull(owner.Origin.Folder),
		Workspace: stringOrNull(owner.Origin.Workspace),
		MadeAt:    timeOrNull(owner.Origin.At),
		Complete:  types.BoolValue(owner.Complete),
	}
}

func ownersOf(owners []shortcut.Ownership) []ownersModel {
	models := []ownersModel{}
	for _, owner := range owners {
		model := ownersModel{
			ownerModel: newOwnerModel(owner), OwnerID: types.StringValue(owner.Token),
			Resource: types.StringValue(owner.Resource.String()),
		}
		for _, object := range owner.Objects {
			model.Objects = append(model.Objects, types.StringValue(object))
		}
		models = append(models, model)
	}
	return models
}
