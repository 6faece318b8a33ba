package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// modelEnd is the attributes of one end in a model of a shortcut.
type modelEnd struct {
	attribute string // with the leaf's name: client or server; the other attributes of the end begin with it
	role      liqo.GatewayRole

	name, clusterID, clusterUID, namespace *types.String
	gateway, network                       *types.Object
	pods                                   *types.Object                                      // of both gateways
	owns                                   func(context.Context, *cluster.Leaf) (bool, error) // as in [recordedLeaf]
}

func (m *shortcutModel) clientEnd() modelEnd {
	return modelEnd{
		"client", liqo.ClientRole, &m.Client, &m.ClientClusterID, &m.ClientClusterUID, &m.ClientNamespace, &m.ClientGateway,
		&m.ClientNetwork, &m.Pods, hasOwn(m.ServerClusterID.ValueString(), m.OwnerID.ValueString()),
	}
}

func (m *shortcutModel) serverEnd() modelEnd {
	return modelEnd{
		"server", liqo.ServerRole, &m.Server, &m.ServerClusterID, &m.ServerClusterUID, &m.ServerNamespace, &m.ServerGateway,
		&m.ServerNetwork, &m.Pods, hasOwn(m.ClientClusterID.ValueString(), m.OwnerID.ValueString()),
	}
}

// path returns the path of an attribute of this end, such as "namespace".
func (e modelEnd) path(attribute string) path.Path { return path.Root(e.attribute + "_" + attribute) }

// settings returns the settings of the gateway. They have the pods of both gateways, unless this one has its own. A
// missing block has none but these.
func (e modelEnd) settings(ctx context.Context) types.Object {
	if e.gateway.IsUnknown() {
		return *e.gateway
	}
	settings := e.gateway.Attributes()
	if !e.hasOwnPods() && !e.pods.IsNull() {
		settings["pods"] = *e.pods
	}
	return objectWith(ctx, e.gateway.AttributeTypes(ctx), settings)
}

// known returns the settings of the gateway, except those that both gateways have, or nil if some are not known.
func (e modelEnd) known(ctx context.Context) *liqo.GatewaySettings {
	return knownSettings(ctx, e.role, e.settings(ctx))
}

// hasOwnPods reports whether the gateway has, or may have, settings of pods that the other one need not have.
func (e modelEnd) hasOwnPods() bool {
	pods, found := e.gateway.Attributes()["pods"]
	return found && !pods.IsNull() || e.gateway.IsUnknown()
}

// podsPath returns the path of the settings of the gateway's pods.
func (e modelEnd) podsPath() path.Path {
	if e.hasOwnPods() {
		return e.path("gateway").AtName("pods")
	}
	return path.Root("pods")
}

// leaf returns the leaf as the model has it. It is empty in an empty model.
func (e modelEnd) leaf() recordedLeaf {
	return recordedLeaf{e.attribute, e.name.ValueString(), e.clusterID.ValueString(), e.clusterUID.ValueString(), e.owns}
}

// planEnd is what a plan says about one end.
type planEnd struct {
	leaf  *cluster.Leaf // nil if there is no connection to it
	err   error         // why there is none
	other *cluster.Leaf // the leaf at the other end, or nil
	lose  func(error)   // lets the plan go on without the leaf

	planned    modelEnd // changes the plan
	configured modelEnd
	recorded   modelEnd // in the state; all values are null if there is none
}

// ends returns the two ends of the plan, the client's first.
func (p *planning) ends() []planEnd {
	state := p.state
	if state == nil {
		state = &shortcutModel{}
	}
	return []planEnd{
		{
			p.pair.client, p.pair.clientErr, p.pair.server,
			func(err error) { p.pair.client, p.pair.clientErr = nil, err },
			p.plan.clientEnd(), p.config.clientEnd(), state.clientEnd(),
		},
		{
			p.pair.server, p.pair.serverErr, p.pair.client,
			func(err error) { p.pair.server, p.pair.serverErr = nil, err },
			p.plan.serverEnd(), p.config.serverEnd(), state.serverEnd(),
		},
	}
}

// planRanges plans a replacement if announced ranges change and Liqo on the leaf that gets them does not follow. Then
// it drops the state.
func (p *planning) planRanges(ctx context.Context) diag.Diagnostics {
	if p.state == nil {
		return nil
	}
	var diags diag.Diagnostics
	for _, end := range p.ends() {
		if end.other == nil || !announcesOthers(*end.planned.network, *end.recorded.network) {
			continue
		}
		attribute := end.planned.path("network")
		able, err := liqo.CapabilitiesOf(ctx, end.other)
		if err != nil {
			diags.Append(failureOf("leaf-unreadable", "The leaf can't be checked", err).warningAt(attribute))
			continue
		}
		if able.FollowsConfigurations {
			continue
		}
		diags.Append(report("shortcut-replaced", "The shortcut is replaced",
			fmt.Sprintf("Liqo before 1.2, as on leaf %[1]q, does not follow a change of the address ranges of %[2]q. So the "+
				"plan creates the shortcut again. There is no network between the leaves meanwhile, and the gateway may get "+
				"another address. Update Liqo on %[1]q to change the ranges in place.",
				end.other.Name, end.planned.name.ValueString())).
			warningAt(attribute))
		p.replace = append(p.replace, attribute)
	}
	if len(p.replace) > 0 {
		p.becomesAnother()
		p.state = nil
	}
	return diags
}

// announcesOthers reports whether other ranges are announced than before. Nothing has been announced to a leaf that has
// lost its Configuration.
func announcesOthers(planned, before types.Object) bool {
	for _, name := range []string{"pod_cidrs", "external_cidr"} {
		recorded, ok := before.Attributes()[name]
		if ok && !recorded.IsNull() && !recorded.Equal(planned.Attributes()[name]) {
			return true
		}
	}
	return false
}
