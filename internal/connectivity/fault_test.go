package connectivity

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// scene is what a test between Rome and Milan has observed. All packets pass.
type scene struct{ *Test }

// newScene returns a scene in which each leaf has two nodes.
func newScene(t *testing.T, inRome ...client.Object) scene {
	t.Helper()
	return newSceneOf(two, clustertest.Leaf(t, "rome", inRome...), clustertest.Leaf(t, "milan"))
}

// The nodes of each leaf.
var one, two = []string{"first"}, []string{"first", "second"}

func newSceneOf(nodes []string, rome, milan *cluster.Leaf) scene {
	s := scene{New(rome, milan, Options{})}
	for _, station := range []*station{s.client, s.server} {
		station.objects.Gateway = liqo.GatewayOf(clustertest.GatewayServer(string(station.Remote.ID), 51840))
		station.objects.Configuration = clustertest.Remapped(string(station.Remote.ID), "10.71.0.0/16", "10.68.0.0/16")
		station.names, station.isUp = nodes, true
		station.gateway, station.overlay = "10.200.0.12", "10.80.0.2"
		for node := range nodes {
			station.addresses = append(station.addresses, fmt.Sprintf("10.71.0.%d", node+1))
			station.heard = append(station.heard, heard{told: true, requests: len(nodes) * (passing + 2*looking)})
		}
		for range nodes {
			all, looks, detours := map[string]*answer{}, map[string]*answer{}, map[string]*answer{}
			for _, address := range station.addresses {
				all[address] = &answer{Sent: passing, Answered: passing, last: passing, Largest: 1340, pings: passing}
				looks[address] = &answer{Sent: looking, Answered: looking, last: looking}
				detours[address] = &answer{Sent: looking, Answered: looking, last: looking}
			}
			station.reports = append(station.reports, report{answers: all})
			station.again = append(station.again, report{answers: looks})
			station.detours = append(station.detours, report{answers: detours})
		}
	}
	return s
}

// passing is how many pings a prober sends to a pod that answers, and failing how many it sends to one that does not.
// Looking is how many each other container sends.
const passing, failing, looking = 10, 36, 5

// loses makes all pings from a node of one leaf to a node of the other one get lost. Routers answer until so many hops:
// the node, and then what the gateway has translated.
func (s scene) loses(from, to *station, source, target int, answering ...int) {
	address := from.addresses[target]
	lost := &answer{Sent: passing, silent: true, pings: failing}
	for _, hops := range answering {
		router := map[int]string{hopsToNode: "172.18.0.2"}[hops]
		lost.said = append(lost.said, said{hops: hops, router: cmp.Or(router, address)})
	}
	from.reports[source].answers[address] = lost
	from.again[source].answers[address] = &answer{Sent: looking}
	from.detours[source].answers[address] = &answer{Sent: looking}
	from.reports[source].overlay = &answer{Sent: 3, Answered: 3, last: 3, Largest: 1340}
	from.reports[source].node = &answer{Sent: 3, Answered: 3, last: 3}
	to.heard[target].requests -= passing + 2*looking
}

// arrive makes the pings of a lost way arrive: their answers get lost.
func (s scene) arrive(to *station, target int) { to.heard[target].requests += failing + 2*looking }

// losesAll makes all pings between all nodes get lost, in this direction. If arrived, their answers do.
func (s scene) losesAll(from, to *station, arrived bool, answering ...int) {
	for source := range from.names {
		for target := range to.names {
			s.loses(from, to, source, target, answering...)
			if arrived {
				s.arrive(to, target)
			}
		}
	}
}

// isolated makes a pod reach nothing.
func (s *station) isolated(node int) {
	s.silent(node)
	s.reports[node].node = &answer{Sent: 3}
}

// silent makes the gateway not answer a node in the overlay.
func (s *station) silent(node int) { s.reports[node].overlay = &answer{Sent: 3} }

// silentAll does so for all nodes.
func (s *station) silentAll() {
	for node := range s.names {
		s.silent(node)
	}
}

// goesPast makes answers come to the pod without a route on a node.
func (s *station) goesPast(node int) {
	for _, address := range s.addresses {
		s.detours[node].answers[address] = &answer{Sent: looking, Answered: looking, last: looking}
	}
}

// find returns what the test finds, without what it asks the leaves for.
func (s scene) find(t *testing.T) []Fault {
	t.Helper()
	paths := append(s.client.paths(), s.server.paths()...)
	return s.hops(t.Context(), slices.DeleteFunc(paths, func(path Path) bool { return !path.Lost }))
}

// place is where a fault is, and what it says if it is open.
func (f *Fault) place() string {
	text := strings.TrimSpace(fmt.Sprintf("%s %s %s", f.Hop, f.Leaf, f.Node))
	if f.open != "" {
		text += ": " + f.Summary
	}
	return text
}

func places(faults []Fault) []string {
	var all []string
	for i := range faults {
		all = append(all, faults[i].place())
	}
	return all
}

const first, secondNode = 0, 1

// broken are the hops that can be broken, and what a test then observes, on leaves with two nodes. The wanted fault is
// the hop that is broken, or says what comes into question.
var broken = map[string]struct {
	happens func(s scene, rome, milan *station)
	want    string
}{
	"a pod's device is down": {
		func(s scene, rome, milan *station) {
			for node := range milan.names {
				s.loses(rome, milan, first, node)
				s.loses(milan, rome, node, first, 1, 2, 4)
			}
			rome.isolated(first)
		},
		"Pod rome first",
	},
	"a pod's device is down, and no router of its leaf says so": {
		func(s scene, rome, milan *station) {
			for node := range milan.names {
				s.loses(rome, milan, first, node)
				s.loses(milan, rome, node, first, 1, 2)
			}
			rome.isolated(first)
		},
		"Pod rome first",
	},
	"a policy keeps packets from a pod": {
		func(s scene, rome, milan *station) {
			for node := range rome.names {
				s.loses(rome, milan, node, first, 1, 2, 4)
			}
		},
		"Pod milan first",
	},
	"a policy keeps packets from a pod, and no router says so": {
		func(s scene, rome, milan *station) {
			for node := range rome.names {
				s.loses(rome, milan, node, first, 1)
			}
		},
		"Pod milan first",
	},
	"a policy keeps packets from all pods": {
		func(s scene, rome, milan *station) { s.losesAll(rome, milan, false, 1, 2, 4) },
		"Pod milan",
	},
	"a policy lets a pod answer, but send nothing": {
		func(s scene, rome, milan *station) {
			for node := range milan.names {
				s.loses(rome, milan, first, node, 1)
			}
			rome.silent(first)
		},
		`Pod: packets from "rome" to "milan" get lost between a pod and its node`,
	},
	"a policy is enforced only after the pod's first packets": {
		func(s scene, rome, milan *station) {
			for node := range rome.names {
				s.loses(rome, milan, node, first, 1, 2, 4)
				s.loses(milan, rome, first, node, 1, 2)
				s.arrive(rome, node)
				milan.reports[first].answers[milan.addresses[node]].Answered = 2
			}
		},
		"Pod milan first",
	},
	"a node has no route": {
		func(s scene, rome, milan *station) {
			for node := range milan.names {
				s.loses(rome, milan, first, node, 1)
				s.loses(milan, rome, node, first, 1, 2)
				s.arrive(rome, first)
			}
		},
		"Node rome first",
	},
	"a node drops what it has no route for": {
		func(s scene, rome, milan *station) {
			for node := range milan.names {
				s.loses(rome, milan, first, node)
				s.loses(milan, rome, node, first, 1, 2)
				s.arrive(rome, first)
			}
		},
		"Node rome first",
	},
	"a node has no route, and lets packets go elsewhere": {
		func(s scene, rome, milan *station) {
			for node := range milan.names {
				s.loses(rome, milan, first, node, 1)
				s.loses(milan, rome, node, first, 1, 2)
				s.arrive(rome, first)
				lost := rome.reports[first].answers[rome.addresses[node]]
				lost.said = append(lost.said, said{hops: 2, router: "172.18.0.1"}, said{hops: 4, router: "192.0.2.1"})
			}
		},
		"Node rome first",
	},
	"no node has a route": {
		func(s scene, rome, milan *station) {
			s.losesAll(rome, milan, false, 1)
			s.losesAll(milan, rome, true, 1, 2)
		},
		"Node rome",
	},
	"a node has no route, and one answer of the overlay is lost": {
		func(s scene, rome, milan *station) {
			for node := range milan.names {
				s.loses(rome, milan, first, node, 1)
				s.loses(milan, rome, node, first, 1, 2)
				s.arrive(rome, first)
			}
			rome.reports[first].overlay = &answer{Sent: 5, Answered: 4, last: 4}
		},
		"Node rome first",
	},
	"the overlay of a node carries nothing": {
		func(s scene, rome, milan *station) {
			for node := range milan.names {
				s.loses(rome, milan, first, node, 1)
				s.loses(milan, rome, node, first, 1, 2)
			}
			rome.silent(first)
			rome.reports[secondNode].overlay = &answer{Sent: 3, Answered: 3, last: 3}
		},
		"Overlay rome first",
	},
	"the overlay of the only node that reports it carries nothing": {
		func(s scene, rome, milan *station) {
			for node := range milan.names {
				s.loses(rome, milan, first, node, 1)
				s.loses(milan, rome, node, first, 1, 2)
			}
			rome.silent(first)
		},
		`Overlay rome first: packets from "rome" to "milan" get lost behind node "first" of leaf "rome", most likely on ` +
			`the way to the gateway`,
	},
	"the overlay carries nothing to a node, whose pods without a route get answers past it": {
		func(s scene, rome, milan *station) {
			for node := range rome.names {
				s.loses(rome, milan, node, first, 1, 2)
				s.loses(milan, rome, first, node, 1, 2)
				s.arrive(rome, node)
			}
			milan.goesPast(first)
		},
		"Overlay milan first",
	},
	"the overlay carries nothing to all nodes of a leaf": {
		func(s scene, rome, milan *station) {
			s.losesAll(rome, milan, false, 1, 2)
			s.losesAll(milan, rome, true, 1, 2)
			milan.goesPast(first)
			milan.goesPast(secondNode)
		},
		"Overlay milan",
	},
	"the overlay carries nothing to a node whose first answers came past it": {
		func(s scene, rome, milan *station) {
			for node := range rome.names {
				passed := milan.reports[first].answers[milan.addresses[node]]
				s.loses(rome, milan, node, first, 1, 2)
				s.loses(milan, rome, first, node, 1, 2)
				s.arrive(rome, node)
				milan.reports[first].answers[milan.addresses[node]] = passed
			}
			milan.goesPast(first)
		},
		"Overlay milan first",
	},
	"the overlay fails while it is asked": {
		func(s scene, rome, milan *station) {
			for node := range milan.names {
				s.loses(rome, milan, first, node, 1)
				s.loses(milan, rome, node, first, 1, 2)
			}
			rome.reports[first].overlay = &answer{Sent: 5, Answered: 2, last: 2}
			rome.reports[secondNode].overlay = &answer{Sent: 3, Answered: 3, last: 3}
		},
		"Overlay rome first",
	},
	"only pods on the gateway's node hear it, and the other node has no route": {
		func(s scene, rome, milan *station) {
			for node := range milan.names {
				s.loses(rome, milan, secondNode, node, 1)
				s.loses(milan, rome, node, secondNode, 1, 2)
				s.arrive(rome, secondNode)
			}
			rome.gateways = map[string]bool{"first": true}
			rome.reports[first].overlay = &answer{Sent: 3, Answered: 3, last: 3}
			rome.silent(secondNode)
		},
		`Overlay rome second: packets from "rome" to "milan" get lost behind node "second" of leaf "rome", most likely on ` +
			`the way to the gateway`,
	},
	"only pods on the gateway's node hear it, and it drops what comes from its leaf": {
		func(s scene, rome, milan *station) {
			for node := range milan.names {
				s.loses(rome, milan, first, node, 1, 2)
				s.loses(rome, milan, secondNode, node, 1)
			}
			s.losesAll(milan, rome, true, 1, 2)
			rome.gateways = map[string]bool{"first": true}
			rome.silent(secondNode)
		},
		`Gateway: packets from "rome" to "milan" get lost in one of the two gateways`,
	},
	"a gateway drops what comes from its leaf, or the other one what comes from the tunnel": {
		func(s scene, rome, milan *station) {
			s.losesAll(rome, milan, false, 1, 2)
			s.losesAll(milan, rome, true, 1, 2)
		},
		`Gateway: packets from "rome" to "milan" get lost in one of the two gateways`,
	},
	"so it does, and nobody knows whether the tunnel is up": {
		func(s scene, rome, milan *station) {
			s.losesAll(rome, milan, false, 1, 2)
			s.losesAll(milan, rome, true, 1, 2)
			milan.isUp = false
		},
		`Unknown: packets from "rome" to "milan" get lost between the nodes of the two leaves`,
	},
	"a gateway drops everything": {
		func(s scene, rome, milan *station) {
			s.losesAll(rome, milan, false, 1, 2)
			s.losesAll(milan, rome, false, 1, 2)
		},
		`Unknown: packets between "rome" and "milan" get lost between the nodes of the two leaves`,
	},
	"a gateway drops what comes from the tunnel, and pod networks drop what gateways say": {
		func(s scene, rome, milan *station) {
			s.losesAll(rome, milan, false, 1)
			s.losesAll(milan, rome, true, 1)
			rome.silentAll()
			milan.silentAll()
		},
		`Unknown: packets from "rome" to "milan" get lost between the nodes of the two leaves`,
	},
}

func TestEachFaultHasItsHop(t *testing.T) {
	for name, test := range broken {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			test.happens(s, s.client, s.server)
			found := s.find(t)
			if got := places(found); !slices.Equal(got, []string{test.want}) {
				t.Errorf("got %q, want %q", got, test.want)
				for _, fault := range found {
					t.Log(strings.Join(fault.Evidence, "\n"))
				}
			}
		})
	}
}

// brokenAlone are the faults on two leaves with one node each, where no other node shows anything, as they were made on
// virtual machines.
var brokenAlone = map[string]struct {
	happens func(s scene, rome, milan *station)
	want    string
}{
	"Rome's node drops packets before its routes": {
		func(s scene, rome, milan *station) {
			s.losesAll(rome, milan, false)
			s.losesAll(milan, rome, false, 1, 2)
			rome.isolated(first)
		},
		"Pod rome first",
	},
	"Rome's node does not forward": {
		func(s scene, rome, milan *station) {
			s.losesAll(rome, milan, false, 1)
			s.losesAll(milan, rome, true, 1, 2)
		},
		"Node rome first",
	},
	// As long as Liqo does not know a pod, answers come to it past the overlay.
	"Rome's node drops what comes from the overlay, and Liqo learns of its pods late": {
		func(s scene, rome, milan *station) {
			s.losesAll(milan, rome, false, 1, 2)
			s.losesAll(rome, milan, true, 1, 2)
			rome.again[first].overlay = &answer{Sent: looking}
		},
		`Unknown: packets from "milan" to "rome" get lost between the nodes of the two leaves`,
	},
	"Milan's node drops what comes through the overlay": {
		func(s scene, rome, milan *station) {
			s.losesAll(rome, milan, false, 1, 2)
			s.losesAll(milan, rome, false, 1)
			milan.silent(first)
		},
		`Overlay milan first: packets from "milan" to "rome" get lost behind node "first" of leaf "milan", most likely on ` +
			`the way to the gateway`,
	},
	"Rome's gateway drops what comes from the tunnel, or Milan's what goes into it": {
		func(s scene, rome, milan *station) {
			s.losesAll(rome, milan, true, 1, 2)
			s.losesAll(milan, rome, false, 1, 2)
		},
		`Gateway: packets from "milan" to "rome" get lost in one of the two gateways`,
	},
}

func TestEachFaultHasItsHopWhereNoOtherNodeShowsAnything(t *testing.T) {
	for name, test := range brokenAlone {
		t.Run(name, func(t *testing.T) {
			s := newSceneOf(one, clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan"))
			test.happens(s, s.client, s.server)
			if got := places(s.find(t)); !slices.Equal(got, []string{test.want}) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// late are what nobody tells in time where nodes are slow, or what a pod network drops.
var late = map[string]func(s *station){
	"what has arrived":      func(s *station) { s.heard = nil },
	"pods without a route":  func(s *station) { s.detours = nil },
	"pods that look again":  func(s *station) { s.again = nil },
	"the gateways' tunnel":  func(s *station) { s.isUp = false },
	"the gateway's address": func(s *station) { s.gateway, s.overlay = "", "" },
	"the overlay":           func(s *station) { s.eachReport(func(r *report) { r.overlay = nil }) },
	"what gateways say": func(s *station) {
		s.eachReport(func(r *report) { r.overlay = &answer{Sent: 3} })
		s.eachAnswer(func(a *answer) {
			a.said = slices.DeleteFunc(a.said, func(one said) bool { return one.hops == hopsToGateway })
		})
	},
	"what routers say": func(s *station) {
		s.eachReport(func(r *report) { r.overlay = &answer{Sent: 3} })
		s.eachAnswer(func(a *answer) { a.said = nil })
	},
}

func (s *station) eachReport(do func(*report)) {
	for i := range s.reports {
		do(&s.reports[i])
	}
}

func (s *station) eachAnswer(do func(*answer)) {
	s.eachReport(func(r *report) {
		for _, one := range r.answers {
			do(one)
		}
	})
}

func TestWhatNobodyTellsInTimeMakesNoVerdictWrong(t *testing.T) {
	missing := slices.Sorted(maps.Keys(late))
	atRome, atMilan := clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan")
	check := func(name, want string, s scene, happens func(s scene, rome, milan *station), which uint) {
		happens(s, s.client, s.server)
		var without []string
		for i, what := range missing {
			if which&(1<<i) != 0 {
				late[what](s.client)
				late[what](s.server)
				without = append(without, what)
			}
		}
		hop, _, _ := strings.Cut(want, ":")
		found := s.find(t)
		for _, fault := range found {
			if fault.open == "" && fault.place() != hop {
				t.Errorf("%s, without %q: got %s, which is %s", name, without, fault.place(), hop)
			}
		}
	}
	for which := range uint(1) << len(missing) {
		for name, test := range broken {
			check(name, test.want, newSceneOf(two, atRome, atMilan), test.happens, which)
		}
		for name, test := range brokenAlone {
			check(name, test.want, newSceneOf(one, atRome, atMilan), test.happens, which)
		}
	}
}

func TestAFaultThatMayBeTheReasonOfAnotherOneSaysSo(t *testing.T) {
	s := newSceneOf(one, clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan"))
	rome, milan := s.client, s.server
	s.losesAll(rome, milan, false, 1)
	s.losesAll(milan, rome, true, 1, 2)
	rome.heard = nil // so nobody knows that the pings from Milan arrive
	found := s.find(t)
	if got := places(found); !slices.Equal(got, []string{"Node rome first"}) {
		t.Fatalf("got %q", got)
	}
	const says = `Packets between "milan" and "rome" get lost, too. This may be the reason`
	if text := strings.Join(found[0].Evidence, "\n"); !strings.Contains(text, says) {
		t.Errorf("got:\n%s", text)
	}
}

func TestWhichGatewayDropsPacketsIsForThePeopleToSee(t *testing.T) {
	s := newScene(t)
	s.losesAll(s.client, s.server, false, 1, 2)
	s.losesAll(s.server, s.client, true, 1, 2)
	detail := s.find(t)[0].Detail()
	for _, part := range []string{
		"Both gateways report the tunnel as up.",
		"  kubectl -n liqo-tenant-milan exec deployment/gw-milan -c gateway -- timeout 600 tcpdump -ni liqo-tunnel 'icmp[",
		"  kubectl -n liqo-tenant-rome exec deployment/gw-rome -c gateway -- timeout 600 tcpdump -ni liqo-tunnel 'icmp[",
		`If the first one shows no pings from the pods of "rome", its gateway drops them. If only`,
	} {
		if !strings.Contains(detail, part) {
			t.Errorf("%q is missing in:\n%s", part, detail)
		}
	}
}

func TestAnOpenVerdictSaysWhatWasMissed(t *testing.T) {
	s := newScene(t)
	s.losesAll(s.client, s.server, false, 1, 2)
	s.losesAll(s.server, s.client, false, 1, 2)
	s.client.isUp = false
	s.server.miss("What pods without a route see", errors.New("they have not ended"))
	detail := s.find(t)[0].Detail()
	for _, part := range []string{
		`The gateway of "rome" has not reported the tunnel since, so nobody knows whether it is up.`,
		`What pods without a route see would tell more about leaf "milan", but nobody knows: they have not ended.`,
		"check the overlay of that leaf",
	} {
		if !strings.Contains(detail, part) {
			t.Errorf("%q is missing in:\n%s", part, detail)
		}
	}
}

func TestNothingIsFoundWhereAllPacketsPass(t *testing.T) {
	s := newScene(t)
	paths := append(s.client.paths(), s.server.paths()...)
	if found := s.faults(t.Context(), &Result{Paths: paths}); len(found) > 0 {
		t.Errorf("got %v", found)
	}
}

func TestPacketsThatPassAgainAreNoFault(t *testing.T) {
	s := newScene(t)
	rome, milan := s.client, s.server
	s.losesAll(rome, milan, false, 1, 2)
	s.losesAll(milan, rome, false, 1, 2)
	for _, station := range []*station{rome, milan} {
		for node := range station.names {
			for _, address := range station.addresses {
				station.again[node].answers[address] = &answer{Sent: looking, Answered: looking, last: looking}
			}
		}
	}
	found := s.find(t)
	if len(found) > 0 {
		t.Errorf("got %q", places(found))
	}
	unknown := s.unknown(rome.paths()[0])
	if text := unknown.Detail(); !strings.Contains(text, "When the test looked again, they were answered.") {
		t.Errorf("got:\n%s", text)
	}
}

func TestPingsThatArriveAreToldFromThoseOfManyOtherPods(t *testing.T) {
	s := newScene(t)
	rome, milan := s.client, s.server
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
	s.arrive(milan, first)
	if got := arrival.arrives(); got != yes {
		t.Errorf("they arrive: got %v", got)
	}
}

func TestLargePacketsThatGetLostAreTheTunnelsFault(t *testing.T) {
	s := newScene(t)
	s.client.reports[0].answers["10.71.0.1"].Largest = 1200
	paths := s.client.paths()
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
	if found := s.faults(t.Context(), &Result{Paths: s.client.paths()}); len(found) > 0 {
		t.Errorf("got %+v", found)
	}
}

func TestMoreLossThanIsAcceptedIsAFault(t *testing.T) {
	s := newScene(t)
	s.options.MaxLossPercent = 20
	s.client.reports[1].answers["10.71.0.2"].Answered = 8
	if found := s.faults(t.Context(), &Result{Paths: s.client.paths()}); len(found) > 0 {
		t.Errorf("20 %%: got %+v", found)
	}
	s.client.reports[1].answers["10.71.0.2"].Answered = 7
	found := s.faults(t.Context(), &Result{Paths: s.client.paths()})
	if len(found) != 1 || !strings.Contains(found[0].Evidence[0], "7 of 10") {
		t.Errorf("30 %%: got %+v", found)
	}
}

func TestALostLastPingIsNoLostPath(t *testing.T) {
	s := newScene(t)
	s.options.MaxLossPercent = 10
	*s.client.reports[0].answers["10.71.0.1"] = answer{Sent: passing, Answered: 9, last: 9, Largest: 1340}
	if found := s.faults(t.Context(), &Result{Paths: s.client.paths()}); len(found) > 0 {
		t.Errorf("got %+v", found)
	}
}

func TestPacketsThatPassOnlyAtTheEndAreLoss(t *testing.T) {
	s := newScene(t)
	*s.client.reports[0].answers["10.71.0.1"] = answer{Sent: passing, Largest: 1340}
	found := s.faults(t.Context(), &Result{Paths: s.client.paths()})
	if len(found) != 1 || found[0].ID != "some-packets-lost" {
		t.Errorf("got %+v", found)
	}
}

func TestASizeThatWasNotMeasuredIsNoFaultAndNoMTU(t *testing.T) {
	s := newScene(t)
	s.client.reports[0].answers["10.71.0.1"].Largest = 0
	result := Result{Paths: s.client.paths()[:1]}
	if found := s.faults(t.Context(), &result); len(found) > 0 || result.PathMTU() != 0 {
		t.Errorf("got %+v, MTU %d", found, result.PathMTU())
	}
}

func TestTheAdviceAboutTheOverlayHoldsForEveryLiqo(t *testing.T) {
	s := newScene(t)
	advice := (way{from: s.client, to: s.server}).overlayHere(t.Context()).Advice
	for _, part := range []string{
		"UDP port 6091 unless Liqo was installed with another `networking.genevePort`",
		"\n\n  kubectl -n liqo delete pod -l app.kubernetes.io/name=fabric --field-selector spec.nodeName=first",
	} {
		if !strings.Contains(advice, part) {
			t.Errorf("%q is missing in:\n%s", part, advice)
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
