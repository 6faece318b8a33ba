package connectivity

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// scene is what a test between Rome and Milan has observed. Each leaf has two nodes, and all packets pass.
type scene struct{ *Test }

func newScene(t *testing.T, inRome ...client.Object) scene {
	t.Helper()
	s := scene{New(clustertest.Leaf(t, "rome", inRome...), clustertest.Leaf(t, "milan"), Options{})}
	for _, station := range []*station{s.client, s.server} {
		station.objects.GatewayServer = clustertest.GatewayServer(string(station.Remote.ID), 51840)
		station.names = []string{"first", "second"}
		station.overlay = "10.80.0.2"
		station.addresses = []string{"10.71.0.1", "10.71.0.2"}
		for range station.names {
			station.heard = append(station.heard, heard{told: true, requests: 2 * passing, sent: -1, received: -1})
			station.reports = append(station.reports, report{
				answers: map[string]*answer{
					"10.71.0.1": {Sent: passing, Answered: passing, last: passing, Largest: 1340, pings: passing},
					"10.71.0.2": {Sent: passing, Answered: passing, last: passing, Largest: 1340, pings: passing},
				},
			})
		}
	}
	return s
}

// passing is how many pings a prober sends to a pod that answers, and failing how many it sends to one that does not.
const passing, failing = 10, 44

// loses makes all pings from a node of one leaf to a node of the other one get lost. Routers answer until so many hops.
func (s scene) loses(from, to *station, source, target int, answering ...int) {
	lost := from.reports[source].answers[from.addresses[target]]
	*lost = answer{Sent: passing, silent: true, pings: failing, hops: map[int]bool{}}
	for _, hop := range answering {
		lost.hops[hop] = true
	}
	from.reports[source].overlay = &answer{Sent: 3, Answered: 3, last: 3, Largest: 1340}
	from.reports[source].node = &answer{Sent: 3, Answered: 3, last: 3}
	to.heard[target].requests -= passing
}

// losesAll does so between all nodes, in this direction.
func (s scene) losesAll(from, to *station, answering ...int) {
	for source := range from.names {
		for target := range to.names {
			s.loses(from, to, source, target, answering...)
		}
	}
}

// isolated makes a pod reach nothing.
func (s *station) isolated(node int) {
	s.silent(node)
	s.reports[node].node = &answer{Sent: 3}
}

// silent makes the overlay between a node and the gateway carry nothing.
func (s *station) silent(node int) { s.reports[node].overlay = &answer{Sent: 3} }

// find returns what the test finds, without what it asks the leaves for.
func (s scene) find(t *testing.T) []Fault {
	t.Helper()
	return s.hops(t.Context(), append(s.client.pathsTo(s.server), s.server.pathsTo(s.client)...))
}

// answersAtFirst makes the first pings from a node to another one be answered, of those that get lost: so many of those
// before the counted ones, and of those.
func (s *station) answersAtFirst(source, target, before, counted int) {
	lost := s.reports[source].answers[s.addresses[target]]
	lost.young, lost.Answered, lost.last = before, counted, counted
}

// detours makes a pod without a route on each node of both leaves ping the listeners of the other one. Only those on
// some nodes of one leaf get answers.
func (s scene) detours(of, other *station, answered ...int) {
	const sent = 5
	for _, station := range []*station{of, other} {
		for node := range station.names {
			station.detours = append(station.detours, report{answers: map[string]*answer{}})
			for _, address := range station.addresses {
				station.detours[node].answers[address] = &answer{Sent: sent}
			}
		}
	}
	for _, node := range answered {
		for target, address := range of.addresses {
			*of.detours[node].answers[address] = answer{Sent: sent, Answered: sent, last: sent}
			other.heard[target].requests += sent
		}
	}
}

func TestEachFaultHasItsHop(t *testing.T) {
	const first = 0
	for name, test := range map[string]struct {
		happens func(s scene, rome, milan *station)
		want    Fault
	}{
		"a pod's device is down": {
			func(s scene, rome, milan *station) {
				for node := range milan.names {
					s.loses(rome, milan, first, node)
					s.loses(milan, rome, node, first, 1, 2, 4)
				}
				rome.isolated(first)
			},
			Fault{Hop: HopPod, Node: "first", Problem: trouble.Problem{ID: "pod-packets-lost", Leaf: "rome"}},
		},
		"a pod's device is down, and no router of its leaf says so": {
			func(s scene, rome, milan *station) {
				for node := range milan.names {
					s.loses(rome, milan, first, node)
					s.loses(milan, rome, node, first, 1, 2)
				}
				rome.isolated(first)
			},
			Fault{Hop: HopPod, Node: "first", Problem: trouble.Problem{ID: "pod-packets-lost", Leaf: "rome"}},
		},
		"a policy keeps packets from a pod": {
			func(s scene, rome, milan *station) {
				for node := range rome.names {
					s.loses(rome, milan, node, first, 1, 2, 4)
				}
			},
			Fault{Hop: HopPod, Node: "first", Problem: trouble.Problem{ID: "pod-packets-lost", Leaf: "milan"}},
		},
		"a policy keeps packets from a pod, and no router says so": {
			func(s scene, rome, milan *station) {
				for node := range rome.names {
					s.loses(rome, milan, node, first, 1)
				}
			},
			Fault{Hop: HopPod, Node: "first", Problem: trouble.Problem{ID: "pod-packets-lost", Leaf: "milan"}},
		},
		"a node has no route": {
			func(s scene, rome, milan *station) {
				for node := range milan.names {
					s.loses(rome, milan, first, node, 1)
					s.loses(milan, rome, node, first, 1, 2)
					rome.heard[first].requests += failing // they arrive, but their answers do not
				}
			},
			Fault{Hop: HopNode, Node: "first", Problem: trouble.Problem{ID: "node-not-forwarding", Leaf: "rome"}},
		},
		"a node drops what it has no route for": {
			func(s scene, rome, milan *station) {
				for node := range milan.names {
					s.loses(rome, milan, first, node)
					s.loses(milan, rome, node, first, 1, 2)
					rome.heard[first].requests += failing
				}
			},
			Fault{Hop: HopNode, Node: "first", Problem: trouble.Problem{ID: "node-not-forwarding", Leaf: "rome"}},
		},
		"the overlay of a node carries nothing": {
			func(s scene, rome, milan *station) {
				for node := range milan.names {
					s.loses(rome, milan, first, node, 1)
					s.loses(milan, rome, node, first, 1, 2)
				}
				rome.silent(first)
			},
			Fault{Hop: HopOverlay, Node: "first", Problem: trouble.Problem{ID: "overlay-packets-lost", Leaf: "rome"}},
		},
		"the overlay carries nothing to a node, whose pods without a route get answers past it": {
			func(s scene, rome, milan *station) {
				for node := range rome.names {
					s.loses(rome, milan, node, first, 1, 2)
					s.loses(milan, rome, first, node, 1, 2)
					rome.heard[node].requests += failing
				}
				s.detours(milan, rome, first)
			},
			Fault{Hop: HopOverlay, Node: "first", Problem: trouble.Problem{ID: "overlay-packets-lost", Leaf: "milan"}},
		},
		"so it is, and nobody tells what has arrived": {
			func(s scene, rome, milan *station) {
				for node := range rome.names {
					s.loses(rome, milan, node, first, 1, 2)
					s.loses(milan, rome, first, node, 1, 2)
				}
				s.detours(milan, rome, first)
				rome.heard, milan.heard = nil, nil
			},
			Fault{Hop: HopOverlay, Node: "first", Problem: trouble.Problem{ID: "overlay-packets-lost", Leaf: "milan"}},
		},
		"the overlay carries nothing to all nodes of a leaf, and the gateways count": {
			func(s scene, rome, milan *station) {
				s.losesAll(rome, milan, 1, 2)
				s.losesAll(milan, rome, 1, 2)
				rome.hearsAll()
				s.detours(milan, rome, 0, 1)
				rome.counts(4*pushed, 4*pushed)
				milan.counts(4*pushed, 4*pushed)
			},
			Fault{Hop: HopOverlay, Problem: trouble.Problem{ID: "overlay-packets-lost", Leaf: "milan"}},
		},
		"the overlay fails while it is asked": {
			func(s scene, rome, milan *station) {
				for node := range milan.names {
					s.loses(rome, milan, first, node, 1)
					s.loses(milan, rome, node, first, 1, 2)
				}
				rome.reports[first].overlay = &answer{Sent: 5, Answered: 2, last: 2}
			},
			Fault{Hop: HopOverlay, Node: "first", Problem: trouble.Problem{ID: "overlay-packets-lost", Leaf: "rome"}},
		},
		"a node has no route, and one answer of the overlay is lost": {
			func(s scene, rome, milan *station) {
				for node := range milan.names {
					s.loses(rome, milan, first, node, 1)
					s.loses(milan, rome, node, first, 1, 2)
					rome.heard[first].requests += failing
				}
				rome.reports[first].overlay = &answer{Sent: 5, Answered: 4, last: 4}
			},
			Fault{Hop: HopNode, Node: "first", Problem: trouble.Problem{ID: "node-not-forwarding", Leaf: "rome"}},
		},
		"a policy is enforced only after the pod's first packets": {
			func(s scene, rome, milan *station) {
				for node := range rome.names {
					s.loses(rome, milan, node, first, 1, 2, 4)
					s.loses(milan, rome, first, node, 1, 2)
					milan.answersAtFirst(first, node, 2, 0)
					rome.heard[node].requests += failing
				}
				s.detours(rome, milan)
			},
			Fault{Hop: HopPod, Node: "first", Problem: trouble.Problem{ID: "pod-packets-lost", Leaf: "milan"}},
		},
		"a gateway begins to drop what comes from its leaf during the test": {
			func(s scene, rome, milan *station) {
				s.losesAll(rome, milan, 1, 2)
				s.losesAll(milan, rome, 1, 2)
				for source := range rome.names {
					for target := range milan.names {
						rome.answersAtFirst(source, target, 4, 6)
						milan.answersAtFirst(source, target, 4, 7)
					}
				}
				rome.hearsAll()
				const ofFirst = 4 * 2 * (4 + 7) * 128
				rome.counts(ofFirst, ofFirst+4*pushed)
				milan.counts(ofFirst+4*pushed, ofFirst)
			},
			Fault{Hop: HopGateway, Problem: trouble.Problem{ID: "gateway-not-forwarding", Leaf: "rome"}},
		},
		"a gateway drops what comes from its leaf": {
			func(s scene, rome, milan *station) {
				s.losesAll(rome, milan, 1, 2)
				s.losesAll(milan, rome, 1, 2)
				rome.hearsAll()
				rome.counts(0, 4*pushed)
				milan.counts(4*pushed, 0)
			},
			Fault{Hop: HopGateway, Problem: trouble.Problem{ID: "gateway-not-forwarding", Leaf: "rome"}},
		},
		"a gateway drops what comes from the tunnel": {
			func(s scene, rome, milan *station) {
				s.losesAll(rome, milan, 1, 2)
				s.losesAll(milan, rome, 1, 2)
				rome.hearsAll()
				rome.counts(4*pushed, 4*pushed)
				milan.counts(4*pushed, 4*pushed)
			},
			Fault{Hop: HopGateway, Problem: trouble.Problem{ID: "gateway-not-forwarding", Leaf: "milan"}},
		},
		"a gateway drops what comes from the tunnel, and pod networks drop what gateways say": {
			func(s scene, rome, milan *station) {
				s.losesAll(rome, milan, 1)
				s.losesAll(milan, rome, 1)
				rome.hearsAll()
				for node := range rome.names {
					rome.silent(node)
					milan.silent(node)
				}
				rome.counts(4*pushed, 4*pushed)
				milan.counts(4*pushed, 4*pushed)
			},
			Fault{Hop: HopGateway, Problem: trouble.Problem{ID: "gateway-not-forwarding", Leaf: "milan"}},
		},
		"so they do, and none counts": {
			func(s scene, rome, milan *station) {
				s.losesAll(rome, milan, 1)
				s.losesAll(milan, rome, 1)
				rome.hearsAll()
				for node := range rome.names {
					rome.silent(node)
					milan.silent(node)
				}
			},
			Fault{Hop: HopGateway, Problem: trouble.Problem{ID: "either-gateway-not-forwarding"}},
		},
		"a gateway drops packets, and none counts them": {
			func(s scene, rome, milan *station) {
				s.losesAll(rome, milan, 1, 2)
				s.losesAll(milan, rome, 1, 2)
				rome.hearsAll()
			},
			Fault{Hop: HopGateway, Problem: trouble.Problem{ID: "either-gateway-not-forwarding"}},
		},
		"a gateway drops what comes from the tunnel, which loses a fifth": {
			func(s scene, rome, milan *station) {
				s.losesAll(rome, milan, 1, 2)
				s.losesAll(milan, rome, 1, 2)
				rome.hearsAll()
				rome.counts(pushed, pushed)
				milan.counts(pushed, pushed*4/5)
			},
			Fault{Hop: HopGateway, Problem: trouble.Problem{ID: "gateway-not-forwarding", Leaf: "milan"}},
		},
		"the network drops the tunnel's packets in one direction": {
			func(s scene, rome, milan *station) {
				s.losesAll(rome, milan, 1, 2)
				s.losesAll(milan, rome, 1, 2)
				rome.hearsAll()
				rome.counts(4*pushed, 4*pushed)
				milan.counts(4*pushed, 0)
			},
			Fault{Hop: HopTunnel, Problem: trouble.Problem{ID: "tunnel-packets-lost"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			test.happens(s, s.client, s.server)
			found := s.find(t)
			for _, fault := range found {
				if test.want.Node == "" {
					fault.Node = ""
				}
				if !fault.isSame(test.want) || fault.ID != test.want.ID {
					t.Errorf("got %s, %s of %q %q:\n%s", fault.ID, fault.Hop, fault.Leaf, fault.Node,
						strings.Join(fault.Evidence, "\n"))
				}
			}
			if len(found) == 0 {
				t.Error("nothing was found")
			}
		})
	}
}

// hearsAll makes each listener of a leaf have heard all pings, none of which was answered.
func (s *station) hearsAll() {
	for i := range s.heard {
		s.heard[i].requests = 2 * failing
	}
}

// counts makes the leaf's gateway count so many bytes of the tunnel.
func (s *station) counts(sent, received int) {
	for i := range s.heard {
		s.heard[i].sent, s.heard[i].received = sent, received
	}
}

func TestWhatAllNodesOfALeafHaveInCommonIsItsGateway(t *testing.T) {
	s := newScene(t)
	rome, milan := s.client, s.server
	s.losesAll(rome, milan, 1)
	s.losesAll(milan, rome, 1, 2)
	rome.hearsAll()
	found := rome.common(t.Context(), s.find(t))
	for _, fault := range found {
		if !fault.isSame(Fault{Hop: HopGateway, Problem: trouble.Problem{Leaf: "rome"}}) {
			t.Errorf("got %s of %q", fault.Hop, fault.Node)
		}
	}
	if len(found) == 0 {
		t.Error("nothing was found")
	}
}

func TestNothingIsFoundWhereAllPacketsPass(t *testing.T) {
	s := newScene(t)
	paths := append(s.client.pathsTo(s.server), s.server.pathsTo(s.client)...)
	if found := s.faults(t.Context(), &Result{Paths: paths}); len(found) > 0 {
		t.Errorf("got %v", found)
	}
}

func TestPacketsThatPassAgainAreNoFaultOfTheOverlay(t *testing.T) {
	s := newScene(t)
	rome, milan := s.client, s.server
	s.losesAll(rome, milan, 1, 2)
	s.losesAll(milan, rome, 1, 2)
	s.detours(rome, milan, 0, 1)
	for node := range milan.names {
		milan.detours[node] = rome.detours[node]
	}
	if found := s.find(t); len(found) > 0 {
		t.Errorf("got %s of %q", found[0].Hop, found[0].Leaf)
	}
}

func TestPingsThatArriveAreToldFromThoseOfManyOtherPods(t *testing.T) {
	s := newScene(t)
	rome, milan := s.client, s.server
	const first = 0
	for len(rome.names) < MostNodes {
		rome.names = append(rome.names, "another")
		rome.reports = append(rome.reports, rome.reports[1])
		milan.heard[first].requests += passing
	}
	s.loses(rome, milan, first, first, 1, 2)
	arrival := way{from: rome, to: milan, source: first, target: first}
	if got := arrival.arrives(); got == yes {
		t.Error("they do not arrive")
	}
	milan.heard[first].requests += failing
	if got := arrival.arrives(); got != yes {
		t.Errorf("they arrive: got %v", got)
	}
}

func TestLargePacketsThatGetLostAreTheTunnelsFault(t *testing.T) {
	s := newScene(t)
	s.client.reports[0].answers["10.71.0.1"].Largest = 1200
	paths := s.client.pathsTo(s.server)
	found := s.faults(t.Context(), &Result{Paths: paths})
	if len(found) != 1 || found[0].Hop != HopTunnel || !strings.Contains(found[0].Advice, "`mtu = 1200`") {
		t.Errorf("got %+v", found)
	}
	s.server.reports[1].overlay = &answer{Sent: 3, Answered: 3, last: 3, Largest: 1200}
	found = s.faults(t.Context(), &Result{Paths: paths})
	if len(found) != 1 || found[0].Hop != HopOverlay || found[0].Leaf != "milan" || found[0].Node != "second" {
		t.Errorf("with an overlay that carries no large packets: got %+v", found)
	}
}

func TestPodsWithSmallerPacketsThanTheTunnelAreNoFault(t *testing.T) {
	s := newScene(t)
	for i := range s.server.reports {
		s.server.reports[i].mtu = 1280
	}
	s.client.reports[0].answers["10.71.0.1"].Largest = 1280
	if found := s.faults(t.Context(), &Result{Paths: s.client.pathsTo(s.server)}); len(found) > 0 {
		t.Errorf("got %+v", found)
	}
}

func TestMoreLossThanIsAcceptedIsAFault(t *testing.T) {
	s := newScene(t)
	s.options.MaxLossPercent = 20
	s.client.reports[1].answers["10.71.0.2"].Answered = 8
	if found := s.faults(t.Context(), &Result{Paths: s.client.pathsTo(s.server)}); len(found) > 0 {
		t.Errorf("20 %%: got %+v", found)
	}
	s.client.reports[1].answers["10.71.0.2"].Answered = 7
	found := s.faults(t.Context(), &Result{Paths: s.client.pathsTo(s.server)})
	if len(found) != 1 || !strings.Contains(found[0].Evidence[0], "7 of 10") {
		t.Errorf("30 %%: got %+v", found)
	}
}

func TestALostLastPingIsNoLostPath(t *testing.T) {
	s := newScene(t)
	s.options.MaxLossPercent = 10
	*s.client.reports[0].answers["10.71.0.1"] = answer{Sent: passing, Answered: 9, last: 9, Largest: 1340}
	if found := s.faults(t.Context(), &Result{Paths: s.client.pathsTo(s.server)}); len(found) > 0 {
		t.Errorf("got %+v", found)
	}
}

func TestPacketsThatPassOnlyAtTheEndAreLoss(t *testing.T) {
	s := newScene(t)
	*s.client.reports[0].answers["10.71.0.1"] = answer{Sent: passing, Largest: 1340}
	found := s.faults(t.Context(), &Result{Paths: s.client.pathsTo(s.server)})
	if len(found) != 1 || found[0].ID != "some-packets-lost" {
		t.Errorf("got %+v", found)
	}
}

func TestASizeThatWasNotMeasuredIsNoFaultAndNoMTU(t *testing.T) {
	s := newScene(t)
	s.client.reports[0].answers["10.71.0.1"].Largest = 0
	result := Result{Paths: s.client.pathsTo(s.server)[:1]}
	if found := s.faults(t.Context(), &result); len(found) > 0 || result.PathMTU() != 0 {
		t.Errorf("got %+v, MTU %d", found, result.PathMTU())
	}
}

func TestTheAdviceAboutTheOverlayHoldsForEveryLiqo(t *testing.T) {
	s := newScene(t)
	const first = 0
	advice := s.client.overlayFault(way{from: s.client, to: s.server}, first).Advice
	for _, part := range []string{
		"UDP port 6091 unless Liqo was installed with another `networking.genevePort`",
		"\n\n  kubectl -n liqo delete pod -l app.kubernetes.io/name=fabric --field-selector spec.nodeName=first",
	} {
		if !strings.Contains(advice, part) {
			t.Errorf("%q is missing in:\n%s", part, advice)
		}
	}
}

func TestWhyNobodyKnowsWhichGatewayItIsIsSaid(t *testing.T) {
	for want, prepare := range map[string]func(rome *station){
		"but nothing listens at http://10.200.0.12:8084/metrics. It does if Liqo is": func(rome *station) {
			rome.heard[1].curl = 7
		},
		"but http://10.200.0.12:8084/metrics does not answer a pod of the test within 5 seconds": func(rome *station) {
			rome.heard[0].curl = 28
		},
		"but image gateway:1 lacks curl.":     func(rome *station) { rome.heard[0].curl = 127 },
		"and ends with status 56.":            func(rome *station) { rome.heard[0].curl = 56 },
		"has no counters of the tunnel that ": func(*station) {},
		"but no pod of the test has told":     func(rome *station) { rome.heard = []heard{parseHeard(""), parseHeard("")} },
		"but the provider's user may not list internalfabrics.networking.liqo.io": func(rome *station) {
			rome.hidden, rome.gateway = "the provider's user may not list internalfabrics.networking.liqo.io", ""
		},
	} {
		s := newScene(t)
		rome, milan := s.client, s.server
		rome.gateway, rome.image.name = "10.200.0.12", "gateway:1"
		for i := range rome.heard {
			rome.heard[i].sent, rome.heard[i].received = -1, -1
		}
		milan.counts(0, 0)
		prepare(rome)
		evidence := strings.Join(gatewaysFault(t.Context(), way{from: rome, to: milan}).Evidence, "\n")
		if !strings.Contains(evidence, want) || strings.Contains(evidence, `the gateway of "milan" has sent`) {
			t.Errorf("%q is missing in, or Milan is in:\n%s", want, evidence)
		}
	}
}

func TestATunnelThatIsDownHasAlsoTheTroubleThatHasCausedIt(t *testing.T) {
	gateway := clustertest.GatewayServer("milan", 51840)
	gateway.DeletionTimestamp, gateway.Finalizers = new(metav1.Now()), []string{"example.com/hold"}
	s := newScene(t, gateway)
	down := s.tunnelDown(t.Context())
	if want := []trouble.ID{"tunnel-down", "object-not-deleted"}; !slices.Equal(trouble.IDs(&down.Problem), want) {
		t.Errorf("got %q:\n%s", trouble.IDs(&down.Problem), strings.Join(down.Evidence, "\n"))
	}
}
