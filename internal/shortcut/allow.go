package shortcut

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// Allow is what may cross a network: the connections that pods of one leaf may open to pods of the other one. Nothing
// else crosses but the answers, and errors of ICMP.
type Allow struct {
	ToClient, ToServer []liqo.Rule
}

// Limits returns what one end enforces, or nil if everything may cross. The ranges are those that the leaves announce.
func (a *Allow) Limits(own, other liqo.Ranges, isClient bool) *liqo.Limits {
	if a == nil {
		return nil
	}
	limits := &liqo.Limits{In: a.ToServer, Out: a.ToClient, Own: own.PodCIDRs, Other: other.PodCIDRs}
	if isClient {
		limits.In, limits.Out = limits.Out, limits.In
	}
	return limits
}

// reverse returns the same with the roles of the leaves swapped.
func (a *Allow) reverse() *Allow {
	if a == nil {
		return nil
	}
	return &Allow{ToClient: a.ToServer, ToServer: a.ToClient}
}

// allow returns what may cross as both ends enforce it, or nil.
func (n network) allow() *Allow {
	client, server := n.client.Limits(), n.server.Limits()
	if client == nil || server == nil {
		return nil
	}
	announced := slices.Equal(client.Own, n.server.ObservedRemote().PodCIDRs) &&
		slices.Equal(server.Own, n.client.ObservedRemote().PodCIDRs)
	mirrored := liqo.Limits{In: server.Out, Out: server.In, Own: server.Other, Other: server.Own}
	if !announced || !equality.Semantic.DeepEqual(*client, mirrored) {
		return nil
	}
	return &Allow{ToClient: client.In, ToServer: server.In}
}
