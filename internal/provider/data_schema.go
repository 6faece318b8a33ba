package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// What the schemas of several data sources have in common.

// madeByDescription is of an attribute that tells who made a network.
const madeByDescription = "Who made the network. `terraform-provider-liqo`: this provider made or adopted all of it. `peering`: the two clusters are peered, and " +
	"the network is not this provider's. `other`: liqoctl or another program, also where it is this provider's only in part."

func shownString(description string) schema.Attribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

func readTimeout(ctx context.Context) schema.Attribute {
	return timeouts.AttributesWithOpts(ctx, timeouts.Opts{
		ReadDescription: "How long a read may take, as a number and a unit: `s`, `m` or `h`. Default: `2m`.",
	})
}

func clustersAttribute(whatFor string) schema.Attribute {
	return schema.ListAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "Names of the clusters " + whatFor + ". Default: every cluster of the provider's `clusters` or, where it has none, every context of " +
			"its kubeconfig. A cluster with several names counts once.",
		Validators: []validator.List{
			listvalidator.SizeAtLeast(1), listvalidator.NoNullValues(), listvalidator.UniqueValues(), listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
		},
	}
}

func shownEndpoint(description string) schema.Attribute {
	return schema.SingleNestedAttribute{
		Computed: true, MarkdownDescription: description,
		Attributes: map[string]schema.Attribute{
			"addresses": schema.ListAttribute{
				Computed: true, ElementType: types.StringType, MarkdownDescription: "IP addresses or DNS names.",
			},
			"port":     schema.Int32Attribute{Computed: true, MarkdownDescription: "Port."},
			"protocol": shownString("`UDP` or `TCP`."),
		},
	}
}

func shownNetwork(leaf, other string) schema.Attribute {
	return schema.SingleNestedAttribute{
		Computed: true,
		MarkdownDescription: "Address ranges of the " + leaf + ", in CIDR notation, and where the " + other + " reaches them. Null where the " + other +
			" has not been told of any.",
		Attributes: map[string]schema.Attribute{
			"pod_cidrs": schema.ListAttribute{
				Computed: true, ElementType: cidrtypes.IPPrefixType{}, MarkdownDescription: "Of its pods, as the " + other + " was told.",
			},
			"external_cidr": schema.StringAttribute{
				Computed: true, CustomType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Liqo's external CIDR of the " + leaf + ", as the " + other + " was told.",
			},
			"remapped_pod_cidrs": schema.ListAttribute{
				Computed: true, ElementType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Where the " + other + " reaches `pod_cidrs`, index by index.",
			},
			"remapped_external_cidr": schema.StringAttribute{
				Computed: true, CustomType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Where the " + other + " reaches `external_cidr`.",
			},
		},
	}
}
