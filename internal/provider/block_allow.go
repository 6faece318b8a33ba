package provider

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/int32validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Values of `to`.
const (
	toClient = "client"
	toServer = "server"
)

// maxRules limits the rules of a shortcut, so that most of what a gateway can't take is found without leaves; see
// [liqo.MaxTableRules].
const maxRules = 80

const (
	toDescription       = "Leaf whose pods accept the connections: `client` or `server`."
	protocolDescription = "`TCP`, `UDP` or `ICMP`, which stands for pings. Default: every protocol."
	portDescription     = "Port, or the first one of a range. Default: every port."
	endPortDescription  = "Last port of the range. Default: `port`."
	cidrsDescription    = "Ranges of these pods on their own leaf, within the pod CIDRs that it announces. Default: " +
		"all of those."
)

const (
	allowDescription = "Allowed traffic: connections that pods of one leaf may open to pods of the other, and their " +
		"answers; see [Restrict traffic](../guides/restrict-traffic.md). At most 80 rules; `[]` allows nothing. " +
		"Default: everything. A change does not interrupt connections that stay allowed. Needs Liqo 1.1 or newer on " +
		"both leaves."
	allowAtEndDescription = "Allowed traffic, as this gateway enforces it; see [Restrict " +
		"traffic](../guides/restrict-traffic.md). Both ends need the same rules, with the form of those of " +
		"`liqo_shortcut`; `client` and `server` are the clusters of the two gateways. At most 80 rules; `[]` allows " +
		"nothing. Default: everything. A change does not interrupt connections that stay allowed. Needs Liqo 1.1 or " +
		"newer on this cluster."
)

// allowAttribute is the `allow` of a liqo_shortcut, or of a gateway for one end.
func allowAttribute(description string) schema.SetNestedAttribute {
	return schema.SetNestedAttribute{
		Optional: true, MarkdownDescription: description,
		Validators: []validator.Set{setvalidator.SizeAtMost(maxRules)},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"to": schema.StringAttribute{
				Required: true, MarkdownDescription: toDescription,
				Validators: []validator.String{stringvalidator.OneOf(toClient, toServer)},
			},
			"protocol": schema.StringAttribute{
				Optional: true, MarkdownDescription: protocolDescription,
				Validators: []validator.String{stringvalidator.OneOf(liqo.TCP, liqo.UDP, liqo.ICMP)},
			},
			"port": schema.Int32Attribute{
				Optional: true, MarkdownDescription: portDescription,
				Validators: []validator.Int32{int32validator.Between(1, maxPort)},
			},
			"end_port": schema.Int32Attribute{
				Optional: true, MarkdownDescription: endPortDescription,
				Validators: []validator.Int32{int32validator.Between(1, maxPort)},
			},
			"cidrs": schema.SetAttribute{
				Optional: true, ElementType: cidrtypes.IPPrefixType{}, MarkdownDescription: cidrsDescription,
				Validators: []validator.Set{
					setvalidator.SizeAtLeast(1), setvalidator.NoNullValues(),
					setvalidator.ValueStringsAre(cidr(), wholeRange(), ipv4()),
				},
			},
		}},
	}
}

// shownAllow is the `allow` of a data source.
func shownAllow(description string) datasourceschema.Attribute {
	return datasourceschema.SetNestedAttribute{
		Computed: true, MarkdownDescription: description,
		NestedObject: datasourceschema.NestedAttributeObject{Attributes: map[string]datasourceschema.Attribute{
			"to": shownString(toDescription), "protocol": shownString(protocolDescription),
			"port":     datasourceschema.Int32Attribute{Computed: true, MarkdownDescription: portDescription},
			"end_port": datasourceschema.Int32Attribute{Computed: true, MarkdownDescription: endPortDescription},
			"cidrs": datasourceschema.SetAttribute{
				Computed: true, ElementType: cidrtypes.IPPrefixType{}, MarkdownDescription: cidrsDescription,
			},
		}},
	}
}

// ruleModel is a rule of `allow`.
type ruleModel struct {
	To       types.String `tfsdk:"to"`
	Protocol types.String `tfsdk:"protocol"`
	Port     types.Int32  `tfsdk:"port"`
	EndPort  types.Int32  `tfsdk:"end_port"`
	CIDRs    types.Set    `tfsdk:"cidrs"`
}

var ruleType = types.ObjectType{AttrTypes: attributeTypes(allowAttribute("").NestedObject.Attributes)}

// validateAllow finds ports that a rule can't have. An unknown one may turn out to be none.
func validateAllow(ctx context.Context, set types.Set) diag.Diagnostics {
	if set.IsNull() || set.IsUnknown() {
		return nil
	}
	var diags diag.Diagnostics
	for _, element := range set.Elements() {
		rule, ok := element.(types.Object)
		if !ok || rule.IsUnknown() {
			continue
		}
		var model ruleModel
		diags.Append(rule.As(ctx, &model, basetypes.ObjectAsOptions{})...)
		diags.Append(model.validate(path.Root("allow").AtSetValue(element))...)
	}
	return diags
}

func (m ruleModel) validate(at path.Path) diag.Diagnostics {
	refuse := func(attribute, text string) diag.Diagnostics {
		return diag.Diagnostics{invalid("Invalid rule", text).errorAt(at.AtName(attribute))}
	}
	withPorts := m.Protocol.ValueString() == liqo.TCP || m.Protocol.ValueString() == liqo.UDP
	switch {
	case given(m.Port) && !m.Protocol.IsUnknown() && !withPorts:
		return refuse("port", "Only TCP and UDP have ports. Set `protocol` to `TCP` or `UDP`, or remove `port`.")
	case given(m.EndPort) && m.Port.IsNull():
		return refuse("end_port", "`end_port` ends a range that begins with `port`. Set `port`, too.")
	case given(m.EndPort) && given(m.Port) && m.EndPort.ValueInt32() < m.Port.ValueInt32():
		return refuse("end_port", fmt.Sprintf("The range from %d to %d is empty. `end_port` must not be less than `port`.",
			m.Port.ValueInt32(), m.EndPort.ValueInt32()))
	default:
		return nil
	}
}

// ruleTo is a rule of `allow` as a struct of Go.
type ruleTo struct {
	liqo.Rule

	To string `tfsdk:"to"`
}

// allowSpec returns what may cross, or nil for everything. The rules have the same order, whatever that of the
// configuration is.
func allowSpec(ctx context.Context, set types.Set) *shortcut.Allow {
	if !given(set) {
		return nil
	}
	var rules []ruleTo
	readInto(ctx, set, &rules)
	allow := &shortcut.Allow{}
	for _, rule := range rules {
		slices.Sort(rule.CIDRs)
		if rule.To == toClient {
			allow.ToClient = append(allow.ToClient, rule.Rule)
		} else {
			allow.ToServer = append(allow.ToServer, rule.Rule)
		}
	}
	slices.SortFunc(allow.ToClient, compareRules)
	slices.SortFunc(allow.ToServer, compareRules)
	return allow
}

func compareRules(one, other liqo.Rule) int {
	return cmp.Or(cmp.Compare(one.Protocol, other.Protocol), cmp.Compare(one.Port, other.Port),
		cmp.Compare(one.EndPort, other.EndPort), slices.Compare(one.CIDRs, other.CIDRs))
}

// allowSet returns null if everything may cross.
func allowSet(ctx context.Context, allow *shortcut.Allow) types.Set {
	if allow == nil {
		return types.SetNull(ruleType)
	}
	rules := []attr.Value{}
	for to, each := range map[string][]liqo.Rule{toClient: allow.ToClient, toServer: allow.ToServer} {
		for _, rule := range each {
			rules = append(rules, objectOf(ctx, ruleType.AttrTypes, &ruleTo{rule, to}))
		}
	}
	return types.SetValueMust(ruleType, rules)
}

// observedAllow copies what may cross from the leaves into the model, if both have a gateway.
func (m *shortcutModel) observedAllow(ctx context.Context, state shortcut.State) {
	if state.ClientGateway != nil && state.ServerGateway != nil {
		m.Allow = observedRules(ctx, m.Allow, state.Allow, state.Limited)
	}
}

// observedRules returns the rules that the leaves show. Where someone has edited or removed some, the former ones stay:
// null would mean that everything may cross, and a configuration that ignores changes would bring that about.
func observedRules(ctx context.Context, former types.Set, allow *shortcut.Allow, limited bool) types.Set {
	if allow == nil && limited && given(former) {
		return former
	}
	return allowSet(ctx, allow)
}

// rulesEdited warns of rules that someone has edited or removed.
func rulesEdited(allow *shortcut.Allow, limited bool) diag.Diagnostics {
	if allow != nil || !limited {
		return nil
	}
	return diag.Diagnostics{report("rules-edited", "The rules of `allow` have been edited or removed",
		"A gateway has had rules, and they are no longer as this provider has written them. Until the next apply, more or "+
			"less is allowed than `allow` says. The apply writes the rules anew. If there is no `allow` in the "+
			"configuration and the state, it allows everything.").warningAt(path.Root("allow"))}
}

// stayOpen warns of connections that a change of the rules closes, and that go on while they are open.
func stayOpen(ctx context.Context, before, planned types.Set, client, server string) diag.Diagnostics {
	if !given(planned) || planned.Equal(before) || !fullyKnown(ctx, planned) {
		return nil
	}
	var open []string
	for _, one := range allowSpec(ctx, planned).StayOpen(allowSpec(ctx, before)) {
		to, from := client, server
		if one.ToServer {
			to, from = server, client
		}
		open = append(open, fmt.Sprintf("those of %s to %q, because of the rule that allows %s to %q",
			one.Closed, to, one.Like,
			from))
	}
	if len(open) == 0 {
		return nil
	}
	return diag.Diagnostics{report("connections-stay-open", "Established connections continue",
		fmt.Sprintf("The apply closes the way for new connections. But some that are open then go on: %s. The gateways take "+
			"their packets for answers to connections that such a rule allows. Restart the pods that hold the connections, or "+
			"give the rule a port or ports below 32768.", trouble.Enumerate(open))).warningAt(path.Root("allow"))}
}
