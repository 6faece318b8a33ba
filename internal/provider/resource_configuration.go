package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// newConfigurationResource returns the resource liqo_configuration: the address ranges of the other cluster.
func newConfigurationResource() resource.Resource {
	return newEndResource[configurationModel](owner.ConfigurationResource, configurationSchema)
}

// rangesChange ends the description of a range.
const rangesChange = " A change interrupts traffic to the ranges that change. With a gateway and Liqo before 1.2, " +
	"it fails: replace both."

func configurationSchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Announces the address ranges of the remote cluster to this one. Liqo then chooses the " +
			"ranges at which this cluster reaches them." + oneEndInGuide,
		Attributes: endAttributes(ctx, map[string]schema.Attribute{
			"pod_cidrs": schema.ListAttribute{
				Required: true, ElementType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Pod CIDRs of the remote cluster, IPv4 only: `pod_cidrs` of its `liqo_cluster` data " +
					"source, or parts of them. This cluster reaches no other pods." + rangesChange,
				Validators: []validator.List{
					listvalidator.SizeAtLeast(1), listvalidator.NoNullValues(),
					listvalidator.ValueStringsAre(cidr(), wholeRange(), ipv4()),
				},
			},
			"external_cidr": schema.StringAttribute{
				Required: true, CustomType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "External CIDR of the remote cluster, IPv4 only: `external_cidr` of its `liqo_cluster` " +
					"data source." + rangesChange,
				Validators: []validator.String{wholeRange(), ipv4()},
			},
			"remapped_pod_cidrs": schema.ListAttribute{
				Computed: true, ElementType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Ranges at which this cluster reaches `pod_cidrs`, in the same order.",
			},
			"remapped_external_cidr": schema.StringAttribute{
				Computed: true, CustomType: cidrtypes.IPPrefixType{},
				MarkdownDescription: "Range at which this cluster reaches `external_cidr`.",
			},
		}),
	}
}

type configurationModel struct {
	endCommonModel

	PodCIDRs             types.List         `tfsdk:"pod_cidrs"`
	ExternalCIDR         cidrtypes.IPPrefix `tfsdk:"external_cidr"`
	RemappedPodCIDRs     types.List         `tfsdk:"remapped_pod_cidrs"`
	RemappedExternalCIDR cidrtypes.IPPrefix `tfsdk:"remapped_external_cidr"`
}

// ranges returns the ranges of the other cluster.
func (m *configurationModel) ranges(ctx context.Context) (ranges liqo.Ranges) {
	readInto(ctx, m.PodCIDRs, &ranges.PodCIDRs)
	readInto(ctx, m.ExternalCIDR, &ranges.ExternalCIDR)
	return ranges
}

// planComputed keeps the remapped ranges of the state while the announced ones stay the same.
func (m *configurationModel) planComputed(_ context.Context, state *configurationModel) {
	if state != nil && m.PodCIDRs.Equal(state.PodCIDRs) && m.ExternalCIDR.Equal(state.ExternalCIDR) &&
		given(state.RemappedPodCIDRs) && given(state.RemappedExternalCIDR) {
		m.RemappedPodCIDRs, m.RemappedExternalCIDR = state.RemappedPodCIDRs, state.RemappedExternalCIDR
		return
	}
	m.RemappedPodCIDRs = types.ListUnknown(cidrtypes.IPPrefixType{})
	m.RemappedExternalCIDR = cidrtypes.NewIPPrefixUnknown()
}

// check finds ranges that Liqo on this leaf can't reach, and those that it will remap.
func (m *configurationModel) check(ctx context.Context, object shortcut.EndObject) diag.Diagnostics {
	if !fullyKnown(ctx, m.PodCIDRs, m.ExternalCIDR) || given(m.RemappedPodCIDRs) {
		return nil
	}
	ranges := m.ranges(ctx)
	diags := checkResult(path.Root("pod_cidrs"), object.End.CheckAnnounced(ctx, ranges, liqo.RemoteRanges{}))
	overlaps, err := object.End.Overlaps(ctx, ranges)
	if err != nil {
		diags.Append(failureOf("leaf-unreadable", "Remapping can't be predicted", err).asWarning())
	}
	for _, overlap := range overlaps {
		diags.Append(report("pod-cidr-remapped", "A pod CIDR will be remapped",
			overlap.String()+" The remapped attributes show the new ranges.").warningAt(path.Root("pod_cidrs")))
	}
	return diags
}

func (m *configurationModel) ensure(ctx context.Context, object shortcut.EndObject, namespace string) error {
	return object.EnsureConfiguration(ctx, namespace, m.ranges(ctx))
}

func (m *configurationModel) observed(
	_ context.Context, observed shortcut.EndObjectState,
) diag.Diagnostics { //nolint:unparam // as that of any other model
	remote := observed.Network
	m.PodCIDRs, m.ExternalCIDR = cidrList(remote.PodCIDRs), cidrOrNull(remote.ExternalCIDR)
	m.RemappedPodCIDRs = cidrList(remote.RemappedPodCIDRs)
	m.RemappedExternalCIDR = cidrOrNull(remote.RemappedExternalCIDR)
	return nil
}

func (m *configurationModel) keepPlanned(plan *configurationModel) {
	keepKnown(&m.RemappedPodCIDRs, plan.RemappedPodCIDRs)
	keepKnown(&m.RemappedExternalCIDR, plan.RemappedExternalCIDR)
}
