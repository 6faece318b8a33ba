package explain

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// unresolved explains a gateway that dials a name for which it finds no address. It creates no Connection then. Of a
// node without better addresses, Liqo reports its host name, which may be known to its own network only.
func unresolved(_ context.Context, s Subject, view view) ([]trouble.Problem, error) {
	gateway, dialled := view.Gateway, view.Dialled()
	if dialled == nil || view.Handled() == nil || view.PublicKey == nil || view.Connection != nil {
		return nil, nil
	}
	if _, err := netip.ParseAddr(dialled.Addresses[0]); err == nil {
		return nil, nil
	}
	return []trouble.Problem{{
		ID:      "server-name-not-resolved",
		Summary: "perhaps the server's name is not resolved",
		Evidence: []string{
			fmt.Sprintf("%s dials %s. Its pod has not created a Connection, and creates none before it finds an "+
				"address of this name.", s.Leaf.Describe(gateway.Object), where(*dialled)),
		},
		Advice: fmt.Sprintf("Its log says whether it is so:\n\n  kubectl -n %s logs deployment/%s -c wireguard\n\n"+
			"If the pods of %q can't resolve this name, %s.", gateway.GetNamespace(), liqo.MadeForGateway(gateway).Name,
			s.Leaf.Name, s.elsewhere("set `server_address` in the liqo_gateway_client")),
	}}, nil
}

// doubt returns a sentence if the address that the client's gateway dials may not lead to the server, by what the
// client's leaf shows: the addresses of the gateway's pod and node, and the leaf's ranges. Otherwise it is empty.
// Another network may have the same private addresses, so an address without a doubt may be wrong, too.
func (s Subject) doubt(ctx context.Context, gateway client.Object, address string) (string, error) {
	dialled, err := netip.ParseAddr(address)
	if err != nil {
		return "", nil //nolint:nilerr // the gateway has found an address of this name
	}
	dialled = dialled.Unmap()
	if dialled.IsLoopback() || dialled.IsLinkLocalUnicast() || dialled.IsUnspecified() {
		return fmt.Sprintf("%s does not lead to another machine.", dialled), nil
	}
	pods, err := liqo.PodsOf(ctx, s.Leaf, gateway)
	if err != nil {
		return "", err
	}
	pod, node := addressesOf(pods)
	if slices.Contains(node, dialled) {
		return fmt.Sprintf("The node of the gateway of %q has the address %s itself, so packets to it do not leave this "+
			"node.", s.Leaf.Name, dialled), nil
	}
	if len(pod) > 0 && !slices.ContainsFunc(pod, sameFamily(dialled)) {
		return fmt.Sprintf("The gateway of %q may not reach %s: its pod has no %s address, only %s.",
			s.Leaf.Name, dialled, family(dialled), listed(pod)), nil
	}
	taken, err := s.taken(ctx, dialled, node)
	if err != nil {
		return "", err
	}
	if taken.IsValid() {
		return fmt.Sprintf("%s is in %s, a range of %q itself, so packets to it may not leave this leaf.",
			dialled, taken, s.Leaf.Name), nil
	}
	near := func(other netip.Addr) bool { return site(other).Contains(dialled) }
	if len(node) > 0 && isPrivate(dialled) && !slices.ContainsFunc(node, near) {
		return fmt.Sprintf("%s is a private address, and the node of the gateway of %q has %s. It may be an address that "+
			"only the network of %q knows.", dialled, s.Leaf.Name, listed(node), s.RemoteName), nil
	}
	return "", nil
}

// taken returns the range in which Liqo on this leaf has an address. It is not valid if there is none. A range does not
// count if administrators have reserved it, because that is what they do with the network of the nodes, or if it has
// the address of a node: in some clouds, pods have addresses of the network of the nodes.
func (s Subject) taken(ctx context.Context, address netip.Addr, nodes []netip.Addr) (netip.Prefix, error) {
	networks, err := liqo.TakenNetworks(ctx, s.Leaf)
	for _, network := range networks {
		prefix, err := netip.ParsePrefix(network.Status.CIDR.String())
		reserved := network.Labels[consts.NetworkTypeLabelKey] == string(consts.NetworkTypeReserved)
		if err == nil && !reserved && prefix.Contains(address) && !slices.ContainsFunc(nodes, prefix.Contains) {
			return prefix, nil
		}
	}
	return netip.Prefix{}, err
}

// otherAddresses returns a sentence about the node of the server's gateway, or none. The gateway must be reached at a
// port of the node, and the node must have other addresses than the reported one. Kubernetes records them in the pod.
// Liqo reports the first one of the first of these types: ExternalDNS, ExternalIP, InternalDNS, InternalIP, Hostname.
func (s Subject) otherAddresses(ctx context.Context, view view) ([]string, error) {
	gateway := view.GatewayAs(liqo.ServerRole)
	if gateway == nil || gateway.Endpoint == nil ||
		gateway.Server.Spec.Endpoint.ServiceType != corev1.ServiceTypeNodePort {
		return nil, nil
	}
	endpoint := gateway.Endpoint
	pods, err := liqo.PodsOf(ctx, s.Leaf, gateway)
	_, nodes := addressesOf(pods)
	others := slices.DeleteFunc(nodes, func(address netip.Addr) bool {
		return slices.Contains(endpoint.Addresses, address.String())
	})
	if len(others) == 0 {
		return nil, err
	}
	return []string{fmt.Sprintf("The gateway of %q is reported at %s. Its node also has %s.",
		s.Leaf.Name, strings.Join(endpoint.Addresses, " and "), listed(others))}, err
}

// addressesOf returns the addresses of pods, and those of their nodes, as the pods show them, each once.
func addressesOf(pods []corev1.Pod) (own, nodes []netip.Addr) {
	for i := range pods {
		for _, pod := range pods[i].Status.PodIPs {
			own = withAddress(own, pod.IP)
		}
		for _, host := range pods[i].Status.HostIPs {
			nodes = withAddress(nodes, host.IP)
		}
	}
	return own, nodes
}

// withAddress adds an address to others, unless it is one of them.
func withAddress(all []netip.Addr, text string) []netip.Addr {
	address, err := netip.ParseAddr(text)
	if err != nil || slices.Contains(all, address) {
		return all
	}
	return append(all, address)
}

func listed(addresses []netip.Addr) string {
	texts := make([]string, len(addresses))
	for i, address := range addresses {
		texts[i] = address.String()
	}
	return trouble.Enumerate(texts)
}

func sameFamily(address netip.Addr) func(netip.Addr) bool {
	return func(other netip.Addr) bool { return address.Is4() == other.Is4() }
}

func family(address netip.Addr) string {
	if address.Is4() {
		return "IPv4"
	}
	return "IPv6"
}

// carrierNAT is what providers use between their own NAT and their customers' (RFC 6598).
var carrierNAT = netip.MustParsePrefix("100.64.0.0/10")

func isPrivate(address netip.Addr) bool { return address.IsPrivate() || carrierNAT.Contains(address) }

// site returns the largest network that one site usually has: the networks of clouds have at most a /16, and a site has
// a /48 (RFC 6177). Addresses in it count as near each other.
func site(address netip.Addr) netip.Prefix {
	const site4, site6 = 16, 48
	bits := site6
	if address.Is4() {
		bits = site4
	}
	return netip.PrefixFrom(address, bits).Masked()
}
