package liqo

import (
	"context"
	"slices"

	"github.com/liqotech/liqo/apis/networking/v1beta1/firewall"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Capabilities are what Liqo on a leaf can do that older versions can't.
type Capabilities struct {
	// ManyPodCIDRs means that Liqo remaps each pod CIDR in a Configuration, and not only the first one.
	ManyPodCIDRs bool
	// FollowsConfigurations means that Liqo remaps again when the ranges in a Configuration change.
	FollowsConfigurations bool
	// KeepsConnections means that a gateway leaves the status of its Connection unchanged when its PublicKey is written
	// again.
	KeepsConnections bool
	// ServiceMetadata means that a GatewayServer has labels and annotations for its Service.
	ServiceMetadata bool
	// DirectConnections means that pods of two leaves behind one Service of their centre can meet over the network of the
	// leaves.
	DirectConnections bool
	// FollowsNetworks means that Liqo on a leaf looks at the addresses of these pods again when the network of two leaves
	// comes or gets other ranges. It does not when the network goes.
	FollowsNetworks bool
	// SeveralTunnels means that a gateway may have a list of ports, with a tunnel for each.
	SeveralTunnels bool
	// FiltersPackets means that a gateway accepts and drops packets as a FirewallConfiguration says.
	FiltersPackets bool
}

// CapabilitiesOf reads from the schemas that the API server serves what Liqo on this leaf can do. So the answer is also
// right for a custom build, whose version says nothing. Ask only where the answer matters: the schemas are large.
func CapabilitiesOf(ctx context.Context, leaf *cluster.Leaf) (Capabilities, error) {
	schemas, err := SchemasOf(ctx, leaf)
	if err != nil {
		return Capabilities{}, err
	}
	// The Configuration's conditions came with Liqo 1.2, like everything that they stand for here.
	conditions := schemas.Configuration.has("status", "conditions")
	action, _ := schemas.FirewallConfiguration.at("spec", "table", "chains", "rules", "filterRules", "action")
	return Capabilities{
		ManyPodCIDRs: conditions, FollowsConfigurations: conditions, KeepsConnections: conditions,
		ServiceMetadata:   schemas.GatewayServer.has("spec", "serviceAnnotations"),
		DirectConnections: conditions,
		// Both came in the version after 1.2.
		FollowsNetworks: schemas.GatewayServer.has("spec", "endpoint", "ports"),
		SeveralTunnels: schemas.GatewayServer.has("spec", "endpoint", "ports") ||
			schemas.GatewayClient.has("spec", "endpoint", "ports"),
		FiltersPackets: slices.Contains(action.Enum, any(string(firewall.ActionDrop))),
	}, nil
}
