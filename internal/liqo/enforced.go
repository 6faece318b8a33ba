package liqo

import (
	"context"
	"slices"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Enforced are the limits that the gateway of one network enforces.
type Enforced struct {
	*Limits // nil if it has none

	Role GatewayRole
}

// EnforcedAt returns the limits of a leaf's networks, by the ID of the other cluster. It reads the leaf's cache. A
// network whose rules someone has edited or removed has none.
func EnforcedAt(ctx context.Context, leaf *cluster.Leaf) (map[string]Enforced, error) {
	gateways, err := GatewaysOf(ctx, leaf)
	enforced := map[string]Enforced{}
	for _, gateway := range gateways {
		objects := Objects{Gateway: gateway}
		if err := objects.ReadFirewall(ctx, leaf); err != nil {
			return nil, err
		}
		enforced[cluster.RemoteID(gateway)] = Enforced{objects.Limits(), gateway.Role}
	}
	return enforced, err
}

// LetsIn reports whether new connections to this port of a pod of this leaf may cross. All addresses are as their own
// leaf sees them. A ping has port 0. No limits let everything in.
func (l *Limits) LetsIn(protocol string, port int32, pod string) bool {
	return l == nil || let(eachRange(l.In, l.Own), protocol, port, pod)
}

// LetsOut reports the same about a pod of the other leaf.
func (l *Limits) LetsOut(protocol string, port int32, pod string) bool {
	return l == nil || let(eachRange(l.Out, l.Other), protocol, port, pod)
}

func let(rules []rangeRule, protocol string, port int32, pod string) bool {
	return slices.ContainsFunc(rules, func(one rangeRule) bool {
		return InRange(pod, one.cidr) && one.isFor(protocol, port)
	})
}

// isFor reports whether the rule is for this port, whatever its ranges are.
func (r Rule) isFor(protocol string, port int32) bool {
	return (r.Protocol == "" || r.Protocol == protocol) &&
		(r.Port == 0 || r.Port <= port && port <= max(r.Port, r.EndPort))
}
