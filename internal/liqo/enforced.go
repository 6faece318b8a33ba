package liqo

import (
	"context"
	"net/netip"
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Enforced are the limits that the gateway of one network enforces.
type Enforced struct {
	Limits

	Server bool // the gateway is dialed
}

// EnforcedAt returns the limits of a leaf's networks, by the ID of the other cluster. It reads the leaf's cache. A
// network without limits is not in it, nor one whose rules someone has edited or removed.
func EnforcedAt(ctx context.Context, leaf *cluster.Leaf) (map[string]Enforced, error) {
	var servers networkingv1beta1.GatewayServerList
	var clients networkingv1beta1.GatewayClientList
	if err := leaf.Cached.List(ctx, &servers); err != nil {
		return nil, leaf.Explain(err)
	}
	if err := leaf.Cached.List(ctx, &clients); err != nil {
		return nil, leaf.Explain(err)
	}
	var all []Objects
	for i := range servers.Items {
		all = append(all, Objects{GatewayServer: &servers.Items[i]})
	}
	for i := range clients.Items {
		all = append(all, Objects{GatewayClient: &clients.Items[i]})
	}
	enforced := map[string]Enforced{}
	for _, objects := range all {
		if err := objects.ReadFirewall(ctx, leaf); err != nil {
			return nil, err
		}
		if limits := objects.Limits(); limits != nil {
			enforced[cluster.RemoteID(objects.Gateway())] = Enforced{*limits, objects.GatewayServer != nil}
		}
	}
	return enforced, nil
}

// LetsIn reports whether new connections to this port of a pod of the leaf may cross. The address is the pod's own.
func (l Limits) LetsIn(protocol string, port int32, address string) bool {
	return slices.ContainsFunc(eachRange(l.In, l.Own), func(one rangeRule) bool {
		prefix, prefixErr := netip.ParsePrefix(one.cidr)
		pod, podErr := netip.ParseAddr(address)
		return one.isFor(protocol, port) && prefixErr == nil && podErr == nil && prefix.Contains(pod)
	})
}

// LetsOut reports whether new connections to this port of any pod of the other leaf may cross.
func (l Limits) LetsOut(protocol string, port int32) bool {
	return slices.ContainsFunc(l.Out, func(one Rule) bool { return one.isFor(protocol, port) })
}

// isFor reports whether the rule is for this port, whatever its ranges are.
func (r Rule) isFor(protocol string, port int32) bool {
	return (r.Protocol == "" || r.Protocol == protocol) &&
		(r.Port == 0 || r.Port <= port && port <= max(r.Port, r.EndPort))
}
