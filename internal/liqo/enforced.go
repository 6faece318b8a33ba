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

	Role GatewayRole
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
		all = append(all, Objects{Gateway: GatewayOf(&servers.Items[i])})
	}
	for i := range clients.Items {
		all = append(all, Objects{Gateway: GatewayOf(&clients.Items[i])})
	}
	enforced := map[string]Enforced{}
	for _, objects := range all {
		if err := objects.ReadFirewall(ctx, leaf); err != nil {
			return nil, err
		}
		if limits := objects.Limits(); limits != nil {
			enforced[cluster.RemoteID(objects.Gateway)] = Enforced{*limits, objects.Gateway.Role}
		}
	}
	return enforced, nil
}

// LetsIn reports whether new connections to this port of a pod of this leaf may cross. All addresses are as their own
// leaf sees them. A ping has port 0.
func (l Limits) LetsIn(protocol string, port int32, pod string) bool {
	return let(eachRange(l.In, l.Own), protocol, port, pod)
}

// LetsOut reports the same about a pod of the other leaf.
func (l Limits) LetsOut(protocol string, port int32, pod string) bool {
	return let(eachRange(l.Out, l.Other), protocol, port, pod)
}

func let(rules []rangeRule, protocol string, port int32, pod string) bool {
	address, err := netip.ParseAddr(pod)
	return err == nil && slices.ContainsFunc(rules, func(one rangeRule) bool {
		prefix, err := netip.ParsePrefix(one.cidr)
		return err == nil && prefix.Contains(address) && one.isFor(protocol, port)
	})
}

// isFor reports whether the rule is for this port, whatever its ranges are.
func (r Rule) isFor(protocol string, port int32) bool {
	return (r.Protocol == "" || r.Protocol == protocol) &&
		(r.Port == 0 || r.Port <= port && port <= max(r.Port, r.EndPort))
}
