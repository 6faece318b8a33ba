package connectivity

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// String names a place, for messages.
func (p Place) String() string { return fmt.Sprintf("node %q of leaf %q", p.Node, p.Leaf) }

// story says how far the packets of a way got, and what else was observed on it.
func (w way) story() string {
	view := w.probed()
	sentences := []string{fmt.Sprintf(
		"From %s to %s (%s), %d of %d pings are answered%s.",
		w.from.place(w.source), w.to.place(w.target), w.from.addresses[w.target], view.Answered, view.Sent, view.when(),
	)}
	switch {
	case view.passes():
	case w.reachesTarget():
		sentences = append(sentences, fmt.Sprintf("The last hop that answers is node %q.", w.to.names[w.target]))
	case w.reachesGateway():
		sentences = append(sentences, fmt.Sprintf("They reach the gateway of %q.", w.from.Leaf.Name))
	case w.reachesNode() == yes:
		sentences = append(sentences, "They reach their own node.")
	default:
		sentences = append(sentences, "No router on the way answers.")
	}
	for _, hops := range []int{hopsToNode, hopsToGateway, hopsToTarget} {
		for _, one := range w.routers(hops) {
			if one.stuck {
				sentences = append(sentences, fmt.Sprintf("%s has no way to go on.", one.router))
			}
		}
	}
	switch w.arrives() {
	case yes:
		sentences = append(sentences, "The pings have arrived there.")
	case no:
		sentences = append(sentences, "None has arrived there.")
	case unsure:
	}
	return strings.Join(slices.Compact(sentences), " ")
}

// when says which pings to a pod were answered, if that makes a difference.
func (a *answer) when() string {
	switch {
	case !a.silent || a.Answered == 0:
		return ""
	case a.last == a.Answered:
		return ", all of them at first"
	default:
		return fmt.Sprintf(", none after number %d", a.last)
	}
}

// observed returns what was observed on a way and on the way back, in sentences.
func observed(w way) []string { return []string{w.story(), w.reverse().story()} }

// tellOverlay says whether the gateway answers a node in the overlay.
func (s *station) tellOverlay(node int) string {
	text := "Whether the gateway of %q answers %s in the overlay is not known."
	switch answer := s.ofOverlay(node); {
	case answer == nil || answer.Sent == 0:
	case answer.lasts():
		text = "The gateway of %q answers what %s sends in the overlay."
	default:
		text = "The gateway of %q does not answer %s in the overlay."
	}
	return fmt.Sprintf(text, s.Leaf.Name, s.place(node))
}

// tellDetour says what the pod without a route sees on a way, and what the source's pod sees after that.
func (w way) tellDetour() string {
	detour, again := w.detour(), w.again()
	return fmt.Sprintf("Of a pod on %s to which Liqo makes no route, %d of %d pings are answered. After that, %d of %d "+
		"of the other pod there are answered.",
		w.from.place(w.source), detour.Answered, detour.Sent, again.Answered, again.Sent)
}

// tellTunnel says what the gateways report of the tunnel.
func tellTunnel(w way) string {
	for _, s := range []*station{w.from, w.to} {
		if !s.isUp {
			return fmt.Sprintf("The gateway of %q has not reported the tunnel since, so nobody knows whether it is up.",
				s.Leaf.Name)
		}
	}
	return "Both gateways report the tunnel as up."
}

// allNodes stands for the index of a node in a fault that all nodes of a leaf have in common.
const allNodes = -1

// at is the name of a node, or empty for all nodes.
func (s *station) at(node int) string {
	if node == allNodes {
		return ""
	}
	return s.names[node]
}

// describe names a node or, for messages, all nodes.
func (s *station) describe(node int) string {
	if node == allNodes {
		return fmt.Sprintf("the nodes of leaf %q", s.Leaf.Name)
	}
	return s.place(node).String()
}

func (w way) podHere(ctx context.Context) *Fault  { return w.from.podFault(ctx, w, w.source) }
func (w way) podThere(ctx context.Context) *Fault { return w.to.podFault(ctx, w, w.target) }

func (s *station) podFault(ctx context.Context, w way, node int) *Fault {
	return &Fault{Hop: HopPod, Node: s.at(node), Problem: trouble.Problem{
		ID: "pod-packets-lost", Leaf: s.Leaf.Name,
		Evidence: append(observed(w), s.policies(ctx)...), Advice: advicePods + " " + s.adviceNetwork(node),
		Summary: fmt.Sprintf("packets get lost between a pod and %s", s.describe(node)),
	}}
}

// eitherPod is the fault of a way on which everything but its pods is all right.
func (w way) eitherPod(ctx context.Context) *Fault {
	return &Fault{Hop: HopPod, open: "get lost between a pod and its node", Problem: trouble.Problem{
		ID:       "pod-packets-lost",
		Evidence: slices.Concat(observed(w), w.from.policies(ctx), w.to.policies(ctx)),
		Advice: fmt.Sprintf("Everything between the two nodes passes packets. %s On leaf %q: %s On leaf %q: %s", advicePods,
			w.from.Leaf.Name, w.from.adviceNetwork(w.source), w.to.Leaf.Name, w.to.adviceNetwork(w.target)),
	}}
}

const advicePods = "If a NetworkPolicy shall not apply to the test, exclude pods with the label " + componentLabel +
	"=" + component + ", or allow packets from and to the other leaf's ranges."

func (s *station) adviceNetwork(node int) string {
	return fmt.Sprintf("Check the pod network (CNI) of %s, and what filters packets there.", s.describe(node))
}

// policies names the NetworkPolicies that select the pods of the test. It is empty if there are none.
func (s *station) policies(ctx context.Context) []string {
	var list networkingv1.NetworkPolicyList
	namespace := s.namespace()
	if err := s.Leaf.List(ctx, &list, client.InNamespace(namespace)); err != nil {
		return []string{fmt.Sprintf("The NetworkPolicies in namespace %s of leaf %q can't be read: %s", namespace,
			s.Leaf.Name, trouble.Shown(err.Error()))}
	}
	var selecting []client.Object
	for i := range list.Items {
		selector, err := metav1.LabelSelectorAsSelector(&list.Items[i].Spec.PodSelector)
		if err == nil && selector.Matches(labels.Set(s.labels)) {
			selecting = append(selecting, &list.Items[i])
		}
	}
	if len(selecting) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("On leaf %q, the test's pods are selected by %s.", s.Leaf.Name,
		explain.Names(s.Leaf, selecting...))}
}

func (w way) nodeHere(ctx context.Context) *Fault { return w.from.nodeFault(ctx, w, w.source) }

func (s *station) nodeFault(_ context.Context, w way, node int) *Fault {
	gateway := s.objects.Gateway
	return &Fault{Hop: HopNode, Node: s.at(node), Problem: trouble.Problem{
		ID: "node-not-forwarding", Leaf: s.Leaf.Name,
		Summary:  fmt.Sprintf("%s: packets get lost between its pods and the gateway", s.describe(node)),
		Evidence: append(observed(w), s.tellOverlay(w.source)),
		Advice: fmt.Sprintf("Check the routes of the node to the ranges of the other leaf, and its firewall. Liqo's fabric "+
			"on the node makes the routes from RouteConfiguration %s/%s-node-gw; its log says why it could not:\n\n"+
			"  kubectl -n %s logs -l app.kubernetes.io/name=fabric --prefix\n\nIf they are right, look at those of the gateway.",
			gateway.GetNamespace(), gateway.GetName(), s.Leaf.LiqoNamespace),
	}}
}

func (w way) overlayHere(ctx context.Context) *Fault  { return w.from.overlayFault(ctx, w, w.source) }
func (w way) overlayThere(ctx context.Context) *Fault { return w.to.overlayFault(ctx, w, w.target) }

// overlayFault is most likely a fault of the overlay. It is certain if another pod hears the gateway that does not
// answer this one, or if packets pass beside the overlay.
func (s *station) overlayFault(_ context.Context, w way, node int) *Fault {
	evidence := append(observed(w), s.tellOverlay(w.end(s)))
	selector, more, open := "", "", ""
	if node != allNodes {
		selector = " --field-selector spec.nodeName=" + s.names[node]
	}
	switch {
	case s == w.to && w.observe()[pastOverlay] == yes:
		evidence = append(evidence, fmt.Sprintf("A pod on %s to which Liqo makes no route gets answers past the overlay, by "+
			"the pod network of the leaf.", s.place(w.target)))
	case s.overlayOf(w.end(s)) != no:
		open = fmt.Sprintf("get lost behind %s, most likely on the way to the gateway", s.describe(node))
		more = "\n\nIf the overlay is all right, check the routes of the node to the ranges of the other leaf. Some pod " +
			"networks drop what a gateway itself says to a pod. Then the test can't tell where packets get lost behind the " +
			"node. If no node of the leaf reaches the other one, check both gateways, too."
	}
	return &Fault{Hop: HopOverlay, Node: s.at(node), open: open, Problem: trouble.Problem{
		ID: "overlay-packets-lost", Leaf: s.Leaf.Name, Evidence: evidence,
		Summary: fmt.Sprintf("packets get lost between %s and the gateway", s.describe(node)),
		Advice: fmt.Sprintf("Liqo joins each node with the gateway's pod by a Geneve tunnel. Check that the leaf's network "+
			"passes it between nodes, UDP port 6091 unless Liqo was installed with another `networking.genevePort`, that the "+
			"node still has its device (ip -d link show type geneve), and that its firewall passes what comes from there. To "+
			"create the device again, restart Liqo's fabric on the node:\n\n  kubectl -n %s delete pod "+
			"-l app.kubernetes.io/name=fabric%s%s", s.Leaf.LiqoNamespace, selector, more),
	}}
}

// eitherGateway is the fault of a way on which the two gateways come into question.
func (w way) eitherGateway(ctx context.Context) *Fault {
	return &Fault{Hop: HopGateway, open: "get lost in one of the two gateways", Problem: trouble.Problem{
		ID:       "either-gateway-not-forwarding",
		Evidence: append(observed(w), w.aboutGateways(ctx)...), Advice: w.watchTunnel("", ""),
	}}
}

// betweenNodes is the fault of a way on which all between the two nodes comes into question.
func (w way) betweenNodes(ctx context.Context) *Fault {
	const here = " Or they do not get there: check the overlay of that leaf."
	const there = " Or they get lost on the way to its nodes: check the overlay of that leaf."
	return &Fault{Hop: HopUnknown, open: "get lost between the nodes of the two leaves", Problem: trouble.Problem{
		ID:       "hop-uncertain",
		Evidence: slices.Concat(observed(w), w.aboutGateways(ctx), w.from.missed, w.to.missed),
		Advice:   w.watchTunnel(here, there),
	}}
}

// behindGatewayThere is the fault of a way on which all from the gateway to the target comes into question.
func (w way) behindGatewayThere(ctx context.Context) *Fault {
	return &Fault{
		Hop: HopUnknown, Node: w.to.names[w.target],
		open: fmt.Sprintf("get lost between the gateway of %q and the pods on node %q", w.to.Leaf.Name, w.to.names[w.target]),
		Problem: trouble.Problem{
			ID: "hop-uncertain", Leaf: w.to.Leaf.Name,
			Evidence: slices.Concat(append(observed(w), w.reverse().tellDetour()), w.to.policies(ctx), w.from.missed,
				w.to.missed),
			Advice: "Other packets pass both gateways. Check what is between the gateway and this node: the overlay, the " +
				"firewall of the node, and its pod network (CNI). Nodes of the leaf that pass packets show what is different.",
		},
	}
}

// aboutGateways says what both leaves show of the gateways and the tunnel.
func (w way) aboutGateways(ctx context.Context) []string {
	return slices.Concat([]string{tellTunnel(w)}, w.from.filters(ctx), w.to.filters(ctx))
}

// watchTunnel advises how to find out what drops the packets of a way. Here and there say what else than the gateways
// comes into question.
func (w way) watchTunnel(here, there string) string {
	return fmt.Sprintf("Look for the pings in the tunnel. Start the first command for leaf %q and the second one for "+
		"leaf %q, and repeat the test meanwhile:\n\n%s\n%s\n\nIf the first one shows no pings from the pods of %q, its "+
		"gateway drops them.%s If only the first one does, the network between the gateways drops them. If both do, the "+
		"gateway of %q drops them.%s A new pod of a gateway makes its routes and its firewall again.",
		w.from.Leaf.Name, w.to.Leaf.Name, w.from.capture(), w.to.capture(), w.from.Leaf.Name, here, w.to.Leaf.Name, there)
}

// capture is a command that shows the pings in the tunnel. Liqo's image has the program.
func (s *station) capture() string {
	gateway := s.objects.Gateway
	return fmt.Sprintf("  kubectl -n %s exec deployment/%s -c gateway -- timeout 600 tcpdump -ni liqo-tunnel "+
		"'icmp[icmptype] = icmp-echo'", gateway.GetNamespace(), liqo.MadeForGateway(gateway).Name)
}

// oversized returns the fault of paths on which large packets get lost, if there are any.
func (t *Test) oversized(paths []Path) []Fault {
	narrow := slices.DeleteFunc(slices.Clone(paths), func(path Path) bool {
		return path.Largest == 0 || path.Largest >= path.Expected
	})
	if len(narrow) == 0 {
		return nil
	}
	least := slices.MinFunc(narrow, func(a, b Path) int { return cmp.Compare(a.Largest, b.Largest) })
	largest := least.Largest
	evidence := []string{
		fmt.Sprintf("From %s to %s, packets of %d bytes pass undivided, and larger ones get lost. Packets of %d bytes "+
			"should pass.", least.From, least.To, least.Largest, least.Expected),
		fmt.Sprintf("It is so on %d of %d paths.", len(narrow), len(paths)),
	}
	for _, s := range []*station{t.client, t.server} {
		for node := range s.reports {
			if overlay := s.reports[node].overlay; overlay != nil && overlay.Largest > 0 && overlay.Largest < s.mtu() {
				return []Fault{{Hop: HopOverlay, Node: s.names[node], Problem: trouble.Problem{
					ID: "overlay-large-packets-lost", Leaf: s.Leaf.Name,
					Summary: fmt.Sprintf("large packets get lost between %s and the gateway", s.place(node)),
					Evidence: append(evidence, fmt.Sprintf("In the overlay between %s and the gateway, packets of %d bytes pass.",
						s.place(node), overlay.Largest)),
					Advice: fmt.Sprintf("Set `mtu = %d` in the shortcut, or let the leaf's nodes pass larger packets between them.",
						overlay.Largest),
				}}}
			}
		}
	}
	return []Fault{{Hop: HopTunnel, Problem: trouble.Problem{
		ID: "tunnel-large-packets-lost",
		Summary: fmt.Sprintf("large packets get lost between the gateways of %q and %q",
			t.client.Leaf.Name, t.server.Leaf.Name),
		Evidence: evidence,
		Advice: fmt.Sprintf("The path between the gateways does not carry packets of the tunnel's MTU, %d bytes. Set "+
			"`mtu = %d` in the shortcut.", t.client.mtu(), largest),
	}}}
}

// lossy returns the fault of paths that lose more packets than is accepted, if there are any.
func (t *Test) lossy(paths []Path) []Fault {
	var evidence []string
	for _, path := range paths {
		if path.LossPercent() > float64(t.options.MaxLossPercent) {
			evidence = append(evidence, fmt.Sprintf("From %s to %s, %d of %d pings are answered.",
				path.From, path.To, path.Answered, path.Sent))
		}
	}
	if len(evidence) == 0 {
		return nil
	}
	return []Fault{{Hop: HopUnknown, Problem: trouble.Problem{
		ID: "some-packets-lost", Evidence: evidence,
		Summary: fmt.Sprintf("some packets get lost between %q and %q", t.client.Leaf.Name, t.server.Leaf.Name),
		Advice: fmt.Sprintf("Apply again to see whether this lasts. If some paths lose packets and others do not, look at "+
			"their nodes; otherwise at the path between the gateways. `max_loss_percent` accepts more than %d %%.",
			t.options.MaxLossPercent),
	}}}
}
