package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// modelEnd is the attributes of one end in a model of a shortcut.
type modelEnd struct {
	name, clusterID, clusterUID, namespace *types.String
	gateway, network                       *types.Object
}

func (m *shortcutModel) clientEnd() modelEnd {
	return modelEnd{
		&m.Client, &m.ClientClusterID, &m.ClientClusterUID, &m.ClientNamespace, &m.ClientGateway, &m.ClientNetwork,
	}
}

func (m *shortcutModel) serverEnd() modelEnd {
	return modelEnd{
		&m.Server, &m.ServerClusterID, &m.ServerClusterUID, &m.ServerNamespace, &m.ServerGateway, &m.ServerNetwork,
	}
}

// planEnd is what a plan says about one end.
type planEnd struct {
	attribute string        // with the leaf's name: client or server; the other attributes of the end begin with it
	leaf      *cluster.Leaf // nil if there is no connection to it
	other     *cluster.Leaf // the leaf at the other end, or nil

	planned    modelEnd // changes the plan
	configured modelEnd
	recorded   modelEnd // in the state; all values are null if there is none
}

// path returns the path of an attribute of this end, such as "namespace".
func (e planEnd) path(attribute string) path.Path { return path.Root(e.attribute + "_" + attribute) }

// ends returns the two ends of the plan, the client's first.
func (p *planning) ends() []planEnd {
	state := p.state
	if state == nil {
		state = &shortcutModel{}
	}
	return []planEnd{
		{
			"client", p.pair.client, p.pair.server,
			p.plan.clientEnd(), p.config.clientEnd(), state.clientEnd(),
		},
		{
			"server", p.pair.server, p.pair.client,
			p.plan.serverEnd(), p.config.serverEnd(), state.serverEnd(),
		},
	}
}
