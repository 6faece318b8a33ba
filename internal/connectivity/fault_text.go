package connectivity

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// String names a place, for messages.
func (p Place) String() string { return fmt.Sprintf("node %q of leaf %q", p.Node, p.Leaf) }

// story says how far the packets of a way got, and what else was observed on it.
func (w way) story() string {
	view, last := w.view(), ""
	switch {
	case w.reaches(hopsToTarget):
		last = fmt.Sprintf("node %q", w.to.names[w.target])
	case w.reaches(hopsToGateway):
		last = fmt.Sprintf("the gateway of %q", w.from.Leaf.Name)
	case w.reaches(hopsToNode):
		last = "the node"
	}
	sentences := []string{fmt.Sprintf(
		"From %s to %s (%s), %s.", w.from.place(w.source), w.to.place(w.target), w.from.addresses[w.target], view.tell(),
	)}
	switch {
	case view.passes():
	case last == "":
		sentences = append(sentences, "No router on the way answers.")
	default:
		sentences = append(sentences, fmt.Sprintf("The last hop that answers is %s.", last))
	}
	if len(view.unrouted) > 0 {
		sentences = append(sentences, fmt.Sprintf("%s has no way to go on.", explain.Enumerate(view.unrouted)))
	}
	switch w.arrives() {
	case yes:
		sentences = append(sentences, "The pings have arrived there.")
	case no:
		sentences = append(sentences, "None has arrived there.")
	case unsure:
	}
	return strings.Join(sentences, " ")
}

// tell says how many pings to a pod were answered, and which ones if that makes a difference.
func (a *answer) tell() string {
	switch text := fmt.Sprintf("%d of %d pings are answered", a.Answered, a.Sent); {
	case a.early() == 0:
		return text
	case a.Answered == 0:
		return fmt.Sprintf("%s, but %d before were", text, a.young)
	case a.last == a.Answered:
		return fmt.Sprintf("the first %s, none since", text)
	default:
		return fmt.Sprintf("%s, none after number %d", text, a.last)
	}
}

// observed returns what was observed on a way and on the way back, in sentences.
func observed(w way) []string { return []string{w.story(), w.reverse().story()} }

// tellOverlay says whether the gateway answers a node in the overlay.
func (s *station) tellOverlay(node int) string {
	text := map[certainty]string{
		yes:    "The gateway of %q answers what %s sends in the overlay.",
		no:     "The gateway of %q does not answer %s in the overlay.",
		unsure: "Whether the gateway of %q answers %s in the overlay is not known.",
	}[s.overlayOf(node)]
	return fmt.Sprintf(text, s.Leaf.Name, s.place(node))
}

// tellTunnel says what both gateways report of the tunnel and, if they count bytes, what it has carried.
func tellTunnel(w way) string {
	text := "Both gateways report the tunnel as up."
	if sent, _ := w.from.bytes(); sent >= 0 {
		text += fmt.Sprintf(" The gateway of %q has sent %d bytes into it meanwhile.", w.from.Leaf.Name, sent)
	}
	if _, received := w.to.bytes(); received >= 0 {
		text += fmt.Sprintf(" The gateway of %q has received %d bytes from it.", w.to.Leaf.Name, received)
	}
	return text
}

func (s *station) podFault(ctx context.Context, w way, node int) *Fault {
	evidence := observed(w)
	advice := fmt.Sprintf("Check the pod network (CNI) of %s, and what filters packets there.", s.place(node))
	if policies := s.policies(ctx); policies != "" {
		evidence = append(evidence, policies)
		advice = "If the policy shall not apply to the test, exclude pods with the label " + componentLabel + "=" +
			component + ", or allow packets from and to the other leaf's ranges. " + advice
	}
	return &Fault{Hop: HopPod, Node: s.names[node], Problem: trouble.Problem{
		ID: "pod-packets-lost", Leaf: s.Leaf.Name, Evidence: evidence, Advice: advice,
		Summary: fmt.Sprintf("packets get lost between a pod and %s", s.place(node)),
	}}
}

// policies names the NetworkPolicies that select the pods of the test. It is empty if there are none.
func (s *station) policies(ctx context.Context) string {
	var list networkingv1.NetworkPolicyList
	namespace := s.namespace()
	if err := s.Leaf.List(ctx, &list, client.InNamespace(namespace)); err != nil {
		return fmt.Sprintf("The NetworkPolicies in namespace %s of leaf %q can't be read: %s", namespace, s.Leaf.Name,
			cluster.Shown(err.Error()))
	}
	var selecting []client.Object
	for i := range list.Items {
		selector, err := metav1.LabelSelectorAsSelector(&list.Items[i].Spec.PodSelector)
		if err == nil && selector.Matches(labels.Set(s.labels)) {
			selecting = append(selecting, &list.Items[i])
		}
	}
	if len(selecting) == 0 {
		return ""
	}
	return fmt.Sprintf("On leaf %q, the test's pods are selected by %s.", s.Leaf.Name, explain.Names(s.Leaf, selecting...))
}

func (s *station) nodeFault(w way, node int) *Fault {
	gateway := s.objects.Gateway()
	return &Fault{Hop: HopNode, Node: s.names[node], way: w, Problem: trouble.Problem{
		ID: "node-not-forwarding", Leaf: s.Leaf.Name,
		Summary:  fmt.Sprintf("%s does not pass packets between its pods and the gateway", s.place(node)),
		Evidence: append(observed(w), s.tellOverlay(node)),
		Advice: fmt.Sprintf("Check the routes of the node to the ranges of the other leaf, and its firewall. Liqo's fabric "+
			"on the node makes the routes from RouteConfiguration %s/%s-node-gw; its log says why it could not:\n\n"+
			"  kubectl -n %s logs -l app.kubernetes.io/name=fabric --prefix\n\nIf they are right, look at those of the gateway.",
			gateway.GetNamespace(), gateway.GetName(), s.Leaf.LiqoNamespace),
	}}
}

func (s *station) overlayFault(w way, node int) *Fault {
	evidence := append(observed(w), s.tellOverlay(node))
	if s == w.to && w.reverse().roundabout() {
		evidence = append(evidence, fmt.Sprintf("A pod on %s to which Liqo makes no route gets answers past the overlay, by "+
			"the pod network of the leaf.", s.place(node)))
	}
	return &Fault{Hop: HopOverlay, Node: s.names[node], Problem: trouble.Problem{
		ID: "overlay-packets-lost", Leaf: s.Leaf.Name,
		Summary:  fmt.Sprintf("packets get lost between %s and the gateway", s.place(node)),
		Evidence: evidence,
		Advice: fmt.Sprintf("Liqo joins each node with the gateway's pod by a Geneve tunnel. Check that the leaf's network "+
			"passes it between nodes, UDP port 6091 unless Liqo was installed with another `networking.genevePort`, that the "+
			"node still has its device (ip -d link show type geneve), and that its firewall passes what comes from there. To "+
			"create the device again, restart Liqo's fabric on the node:\n\n  kubectl -n %s delete pod "+
			"-l app.kubernetes.io/name=fabric --field-selector spec.nodeName=%s",
			s.Leaf.LiqoNamespace, s.names[node]),
	}}
}

func (s *station) gatewayFault(ctx context.Context, w way) *Fault {
	return &Fault{Hop: HopGateway, Problem: trouble.Problem{
		ID: "gateway-not-forwarding", Leaf: s.Leaf.Name,
		Summary: fmt.Sprintf("the gateway of %q does not pass packets on from %q to %q",
			s.Leaf.Name, w.from.Leaf.Name, w.to.Leaf.Name),
		Evidence: slices.Concat(observed(w), []string{tellTunnel(w)}, s.filters(ctx)),
		Advice:   s.checkForwarding(w),
	}}
}

func gatewaysFault(ctx context.Context, w way) *Fault {
	return &Fault{Hop: HopGateway, Problem: trouble.Problem{
		ID:      "either-gateway-not-forwarding",
		Summary: fmt.Sprintf("one of the gateways does not pass packets on from %q to %q", w.from.Leaf.Name, w.to.Leaf.Name),
		Evidence: slices.Concat(observed(w), []string{tellTunnel(w)}, w.from.filters(ctx), w.to.filters(ctx),
			w.from.uncounted(), w.to.uncounted()),
		Advice: fmt.Sprintf("On leaf %q: %s\n\nOn leaf %q: %s",
			w.from.Leaf.Name, w.from.checkForwarding(w), w.to.Leaf.Name, w.to.checkForwarding(w)),
	}}
}

// checkForwarding advises how to find out why the gateway of the leaf drops packets of a way.
func (s *station) checkForwarding(w way) string {
	gateway, overlay := s.objects.Gateway(), ""
	if s == w.to {
		overlay = " If both are right, packets may get lost on the way from the gateway to its nodes: check the overlay, too."
	}
	return fmt.Sprintf("Check its routes and its firewall:\n\n  kubectl -n %s exec deployment/%s -c gateway -- sh -c "+
		"'ip rule; ip route show table all; nft list ruleset'\n\nA new pod of the gateway makes both again.%s",
		gateway.GetNamespace(), liqo.MadeForGateway(gateway).Name, overlay)
}

// uncounted says why nobody knows how much the gateway has sent and received. It is empty if somebody does.
func (s *station) uncounted() []string {
	sent, received := s.bytes()
	if sent >= 0 && received >= 0 {
		return nil
	}
	why := s.hidden
	if why == "" {
		why = s.unread()
	}
	return []string{fmt.Sprintf("How much the gateway of %q has sent and received would tell which one it is, but %s.",
		s.Leaf.Name, why)}
}

// The exit statuses of curl, and of a shell that does not find it.
const (
	curlRefused  = 7
	curlTimedOut = 28
	curlMissing  = 127
)

// unread says why no listener has read the gateway's metrics.
func (s *station) unread() string {
	status, told := 0, false
	for _, h := range s.heard {
		status, told = max(status, h.curl), told || h.told
	}
	switch {
	case !told:
		return "no pod of the test has told what it has heard"
	case status == curlRefused:
		return fmt.Sprintf("nothing listens at %s. It does if Liqo is installed with metrics.enabled=true", s.metrics())
	case status == curlTimedOut:
		return fmt.Sprintf("%s does not answer a pod of the test within 5 seconds, also not when it is asked again. A "+
			"NetworkPolicy or a busy node may be the reason", s.metrics())
	case status == curlMissing:
		return fmt.Sprintf("image %s lacks curl", s.image.name)
	case status != 0:
		return fmt.Sprintf("curl can't read %s, and ends with status %d", s.metrics(), status)
	default:
		return fmt.Sprintf("%s has no counters of the tunnel that cover the whole test. The gateway may have restarted",
			s.metrics())
	}
}

func tunnelFault(w way) *Fault {
	return &Fault{Hop: HopTunnel, Problem: trouble.Problem{
		ID:       "tunnel-packets-lost",
		Summary:  fmt.Sprintf("packets get lost between the gateways of %q and %q", w.from.Leaf.Name, w.to.Leaf.Name),
		Evidence: append(observed(w), tellTunnel(w)),
		Advice:   "Check what filters UDP packets between the two gateways, in this direction.",
	}}
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

// longestSilence is how long a gateway may take to report its tunnel again, or to find out that it is down.
func (s *station) longestSilence(ctx context.Context) time.Duration {
	pings, err := liqo.PingsOf(ctx, s.Leaf, s.objects.Gateway())
	if err != nil {
		pings = liqo.UsualPings()
	}
	return pings.Report + time.Duration(pings.LossThreshold+1)*pings.Interval
}
