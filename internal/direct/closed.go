package direct

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// This file finds ports of the Service that what may cross between two leaves keeps closed. Liqo gives the leaves the
// direct addresses in any case.

// closedPorts returns a problem for each leaf whose gateway drops connections of the Service, and each other leaf from
// which they come. It reads the caches of the leaves. The error says which of them can't be read.
func (s *Service) closedPorts(ctx context.Context, members []*member, pods []pod) ([]*trouble.Problem, error) {
	var errs []error
	for _, m := range members {
		if m.err != nil {
			continue // its warning is another one
		}
		var err error
		m.enforced, err = liqo.EnforcedAt(ctx, m.leaf)
		errs = append(errs, err)
	}
	var problems []*trouble.Problem
	for _, to := range members {
		for _, from := range members {
			if from != to {
				problems = append(problems, s.closedBetween(from, to, portsIn(pods, to))...)
			}
		}
	}
	return problems, errors.Join(errs...)
}

// closedBetween returns a problem for each of the two gateways that drops connections from one leaf to ports in the
// other.
func (s *Service) closedBetween(from, to *member, ports []closedPort) []*trouble.Problem {
	serving, asking := to.enforced[from.id], from.enforced[to.id]
	var in, out []closedPort
	for _, port := range ports {
		switch {
		case !serving.LetsIn(port.protocol, port.number, port.address):
			in = append(in, port)
		case !asking.LetsOut(port.protocol, port.number, port.address):
			out = append(out, port)
		}
	}
	var problems []*trouble.Problem
	if len(in) > 0 {
		problems = append(problems, s.closed(to, from, to, serving.Role, in))
	}
	if len(out) > 0 {
		problems = append(problems, s.closed(from, from, to, asking.Role.Other(), out))
	}
	return problems
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
		address := cmp.Or(leaf.addresses.ofOwn(p).ip, p.address)
		for _, port := range p.ports {
			if port.Port != nil {
				protocol := ptr.Deref(port.Protocol, corev1.ProtocolTCP)
				all = append(all, closedPort{string(protocol), *port.Port, p.name, address})
			}
		}
	}
	return all
}

// closed returns the problem that the gateway of a leaf drops connections from one leaf to pods of another one, whose
// gateway has this role.
func (s *Service) closed(dropping, from, to *member, role liqo.GatewayRole, ports []closedPort) *trouble.Problem {
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
