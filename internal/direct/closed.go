package direct

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// This file finds ports of the Service that what may cross between two leaves keeps closed. Liqo gives the leaves the
// direct addresses in any case.

// closedPorts returns a problem for each leaf whose gateway drops connections of the Service, and each other leaf from
// which they come. It reads the caches of the leaves. The error says which of them can't be read.
func (s *Service) closedPorts(ctx context.Context, members []*member, pods []pod) ([]*trouble.Problem, error) {
	enforced, errs := map[string]map[string]liqo.Enforced{}, []error(nil)
	for _, m := range members {
		if m.err != nil {
			continue // its warning is another one
		}
		limits, err := liqo.EnforcedAt(ctx, m.leaf)
		enforced[m.id], errs = limits, append(errs, err)
	}
	var problems []*trouble.Problem
	for _, to := range members {
		ports := portsIn(pods, to)
		for _, from := range members {
			if from.id == to.id {
				continue
			}
			atServing, limitsIn := enforced[to.id][from.id]
			atAsking, limitsOut := enforced[from.id][to.id]
			var in, out []closedPort
			for _, port := range ports {
				switch {
				case limitsIn && !atServing.LetsIn(port.protocol, port.number, port.address):
					in = append(in, port)
				case limitsOut && !atAsking.LetsOut(port.protocol, port.number, port.address):
					out = append(out, port)
				}
			}
			problems = append(problems, s.closed(to, from, to, atServing.Role, in), // of nothing, it is nil
				s.closed(from, from, to, atAsking.Role.Other(), out))
		}
	}
	return slices.DeleteFunc(problems, func(one *trouble.Problem) bool { return one == nil }), errors.Join(errs...)
}

// closedPort is a port of a pod to which no rule lets connections cross.
type closedPort struct {
	protocol string // as in a [liqo.Rule]
	number   int32
	pod      string
	address  string // the pod's own
}

// portsIn returns the ports of the Service's pods in a leaf. Each pod has them under its own address, unless the leaf
// does not show it: then it is the address for the centre.
func portsIn(pods []pod, leaf *member) []closedPort {
	var all []closedPort
	for _, p := range pods {
		if p.cluster != leaf.id {
			continue
		}
		address := p.address
		if own := leaf.addresses.own[[2]string{p.name, string(p.kind)}]; own.ip != "" {
			address = own.ip
		}
		for _, port := range p.ports {
			if port.Port != nil {
				protocol := corev1.ProtocolTCP
				if port.Protocol != nil {
					protocol = *port.Protocol
				}
				all = append(all, closedPort{string(protocol), *port.Port, p.name, address})
			}
		}
	}
	return all
}

// closed returns the problem that the gateway of a leaf drops connections from one leaf to pods of another one, whose
// gateway has this role.
func (s *Service) closed(dropping, from, to *member, role liqo.GatewayRole, ports []closedPort) *trouble.Problem {
	if len(ports) == 0 {
		return nil
	}
	var evidence, rules []string
	for _, port := range ports {
		rule := fmt.Sprintf("`{ to = %q, protocol = %q, port = %d }`", role, port.protocol, port.number)
		if slices.Contains(rules, rule) {
			continue // another pod
		}
		rules = append(rules, rule)
		evidence = append(evidence, fmt.Sprintf("No rule there allows %s port %d of pods in %q, such as pod %s at %s.",
			port.protocol, port.number, to.name(), port.pod, port.address))
	}
	return &trouble.Problem{
		ID: "service-port-closed", Leaf: dropping.name(),
		Summary:  fmt.Sprintf("connections of %s from %q are dropped", s, from.name()),
		Evidence: evidence,
		Advice: fmt.Sprintf("The network of %q and %q restricts traffic. Add %s to its `allow`, or remove this "+
			"resource: then packets take the way through the central cluster, which `allow` does not limit.",
			from.name(), to.name(), strings.Join(rules, " and ")),
	}
}
