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

// two are the nodes of each leaf.
var two = []string{"first", "second"}

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
			answers := station.eachAnswers(passing)
			for _, one := range answers {
				one.Largest, one.pings = 1340, passing
			}
			station.reports = append(station.reports, report{answers: answers})
			station.again = append(station.again, report{answers: station.eachAnswers(looking)})
			station.detours = append(station.detours, report{answers: station.eachAnswers(looking)})
		}
	}
	return s
}

// all says that so many pings were sent and answered.
func all(sent int) *answer { return &answer{Sent: sent, Answered: sent, last: sent} }

// eachAnswers says that each pod of the other leaf has answered so many pings.
func (s *station) eachAnswers(pings int) map[string]*answer {
	answers := map[string]*answer{}
	for _, address := range s.addresses {
		answers[address] = all(pings)
	}
	return answers
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
	from.reports[source].overlay, from.reports[source].node = all(3), all(3)
	from.reports[source].overlay.Largest = 1340
	to.heard[target].requests -= passing + 2*looking
}

// arrive makes the pings of a lost way arrive: their answers get lost.
func (s scene) arrive(to *station, target int) { to.heard[target].requests += failing + 2*looking }

// losesFrom makes all pings from a node get lost.
func (s scene) losesFrom(from, to *station, source int, answering ...int) {
	for target := range to.names {
		s.loses(from, to, source, target, answering...)
	}
}

// losesTo makes all pings to a node get lost. If arrived, their answers do.
func (s scene) losesTo(from, to *station, target int, arrived bool, answering ...int) {
	for source := range from.names {
		s.loses(from, to, source, target, answering...)
		if arrived {
			s.arrive(to, target)
		}
	}
}

// losesAll makes all pings between all nodes get lost, in this direction. If arrived, their answers do.
func (s scene) losesAll(from, to *station, arrived bool, answering ...int) {
	for target := range to.names {
		s.losesTo(from, to, target, arrived, answering...)
	}
}

// isolated makes a pod reach nothing.
func (s *station) isolated(node int) {
	s.silent(node)
	s.reports[node].node = &answer{Sent: 3}
}

// silent makes the gateway not answer a node in the overlay.
func (s *station) silent(node int) { s.reports[node].overlay = &answer{Sent: 3} }

// goesPast makes answers come to the pod without a route on a node.
func (s *station) goesPast(node int) { s.detours[node].answers = s.eachAnswers(looking) }

// find returns what the test finds, without what it asks the leaves for.
func (s scene) find(t *testing.T) []Fault {
	t.Helper()
	paths := append(s.client.paths(), s.server.paths()...)
	return s.hops(t.Context(), slices.DeleteFunc(paths, func(path Path) bool { return !path.Lost }))
}

// places are where faults are, and what they say if they are open.
func places(faults []Fault) []string {
	var places []string
	for _, fault := range faults {
		place := strings.TrimSpace(fmt.Sprintf("%s %s %s", fault.Hop, fault.Leaf, fault.Node))
		if fault.open != "" {
			place += ": " + fault.Summary
		}
		places = append(places, place)
	}
	return places
}

const first, second = 0, 1

// What open faults say: several hops come into question.
const (
	eitherGateway = `Gateway: packets from "rome" to "milan" get lost in one of the two gateways`
	betweenNodes  = `Unknown: packets from "rome" to "milan" get lost between the nodes of the two leaves`
)

// behind is an open fault: packets to the other leaf get lost behind a node.
func behind(node, leaf, other string) string {
	return fmt.Sprintf("Overlay %s %s: packets from %[1]q to %[3]q get lost behind node %[2]q of leaf %[1]q, most likely "+
		"on the way to the gateway", leaf, node, other)
}

// breakage is a hop that is broken, and what a test then observes. The wanted fault is this hop, or says what comes
// into question.
type breakage struct {
	want    string
	happens func(s scene, rome, milan *station)
}

// broken are the hops that can be broken, on leaves with two nodes.
var broken = map[string]breakage{
	"a pod's device is down": {"Pod rome first", func(s scene, rome, milan *station) {
		s.losesFrom(rome, milan, first)
		s.losesTo(milan, rome, first, false, 1, 2, 4)
		rome.isolated(first)
	}},
	"a pod's device is down, and no router of its leaf says so": {"Pod rome first", func(s scene, rome, milan *station) {
		s.losesFrom(rome, milan, first)
		s.losesTo(milan, rome, first, false, 1, 2)
		rome.isolated(first)
	}},
	"a policy keeps packets from a pod": {"Pod milan first", func(s scene, rome, milan *station) {
		s.losesTo(rome, milan, first, false, 1, 2, 4)
	}},
	"a policy keeps packets from a pod, and no router says so": {"Pod milan first", func(s scene, rome, milan *station) {
		s.losesTo(rome, milan, first, false, 1)
	}},
	"a policy keeps packets from all pods": {"Pod milan", func(s scene, rome, milan *station) {
		s.losesAll(rome, milan, false, 1, 2, 4)
	}},
	"a policy lets a pod answer, but send nothing": {
		`Pod: packets from "rome" to "milan" get lost between a pod and its node`, func(s scene, rome, milan *station) {
			s.losesFrom(rome, milan, first, 1)
			rome.silent(first)
		},
	},
	"a policy is enforced only after the pod's first packets": {"Pod milan first", func(s scene, rome, milan *station) {
		s.losesTo(rome, milan, first, false, 1, 2, 4)
		for node := range rome.names {
			s.loses(milan, rome, first, node, 1, 2)
			s.arrive(rome, node)
			milan.reports[first].answers[milan.addresses[node]].Answered = 2
		}
	}},
	"a node has no route": {"Node rome first", func(s scene, rome, milan *station) {
		s.losesFrom(rome, milan, first, 1)
		s.losesTo(milan, rome, first, true, 1, 2)
	}},
	"a node drops what it has no route for": {"Node rome first", func(s scene, rome, milan *station) {
		s.losesFrom(rome, milan, first)
		s.losesTo(milan, rome, first, true, 1, 2)
	}},
	"a node has no route, and lets packets go elsewhere": {"Node rome first", func(s scene, rome, milan *station) {
		s.losesFrom(rome, milan, first, 1)
		s.losesTo(milan, rome, first, true, 1, 2)
		for _, address := range rome.addresses {
			lost := rome.reports[first].answers[address]
			lost.said = append(lost.said, said{hops: 2, router: "172.18.0.1"}, said{hops: 4, router: "192.0.2.1"})
		}
	}},
	"no node has a route": {"Node rome", func(s scene, rome, milan *station) {
		s.losesAll(rome, milan, false, 1)
		s.losesAll(milan, rome, true, 1, 2)
	}},
	"a node has no route, and one answer of the overlay is lost": {"Node rome first", func(s scene, rome, milan *station) {
		s.losesFrom(rome, milan, first, 1)
		s.losesTo(milan, rome, first, true, 1, 2)
		rome.reports[first].overlay = &answer{Sent: 5, Answered: 4, last: 4}
	}},
	"the overlay of a node carries nothing": {"Overlay rome first", func(s scene, rome, milan *station) {
		s.losesFrom(rome, milan, first, 1)
		s.losesTo(milan, rome, first, false, 1, 2)
		rome.silent(first)
		rome.reports[second].overlay = all(3)
	}},
	"the overlay of the only node that reports it carries nothing": {
		behind("first", "rome", "milan"), func(s scene, rome, milan *station) {
			s.losesFrom(rome, milan, first, 1)
			s.losesTo(milan, rome, first, false, 1, 2)
			rome.silent(first)
		},
	},
	"the overlay carries nothing to a node, whose pods without a route get answers past it": {
		"Overlay milan first", func(s scene, rome, milan *station) {
			s.losesTo(rome, milan, first, false, 1, 2)
			for node := range rome.names {
				s.loses(milan, rome, first, node, 1, 2)
				s.arrive(rome, node)
			}
			milan.goesPast(first)
		},
	},
	"the overlay carries nothing to all nodes of a leaf": {"Overlay milan", func(s scene, rome, milan *station) {
		s.losesAll(rome, milan, false, 1, 2)
		s.losesAll(milan, rome, true, 1, 2)
		milan.goesPast(first)
		milan.goesPast(second)
	}},
	"the overlay carries nothing to a node whose first answers came past it": {
		"Overlay milan first", func(s scene, rome, milan *station) {
			passed := maps.Clone(milan.reports[first].answers)
			s.losesTo(rome, milan, first, false, 1, 2)
			for node := range rome.names {
				s.loses(milan, rome, first, node, 1, 2)
				s.arrive(rome, node)
			}
			milan.reports[first].answers = passed
			milan.goesPast(first)
		},
	},
	"the overlay fails while it is asked": {"Overlay rome first", func(s scene, rome, milan *station) {
		s.losesFrom(rome, milan, first, 1)
		s.losesTo(milan, rome, first, false, 1, 2)
		rome.reports[first].overlay = &answer{Sent: 5, Answered: 2, last: 2}
		rome.reports[second].overlay = all(3)
	}},
	"only pods on the gateway's node hear it, and the other node has no route": {
		behind("second", "rome", "milan"), func(s scene, rome, milan *station) {
			s.losesFrom(rome, milan, second, 1)
			s.losesTo(milan, rome, second, true, 1, 2)
			rome.gateways = map[string]bool{"first": true}
			rome.reports[first].overlay = all(3)
			rome.silent(second)
		},
	},
	"only pods on the gateway's node hear it, and it drops what comes from its leaf": {
		eitherGateway, func(s scene, rome, milan *station) {
			s.losesFrom(rome, milan, first, 1, 2)
			s.losesFrom(rome, milan, second, 1)
			s.losesAll(milan, rome, true, 1, 2)
			rome.gateways = map[string]bool{"first": true}
			rome.silent(second)
		},
	},
	"a gateway drops what comes from its leaf, or the other one what comes from the tunnel": {
		eitherGateway, func(s scene, rome, milan *station) {
			s.losesAll(rome, milan, false, 1, 2)
			s.losesAll(milan, rome, true, 1, 2)
		},
	},
	"so it does, and nobody knows whether the tunnel is up": {betweenNodes, func(s scene, rome, milan *station) {
		s.losesAll(rome, milan, false, 1, 2)
		s.losesAll(milan, rome, true, 1, 2)
		milan.isUp = false
	}},
	"a gateway drops everything": {
		`Unknown: packets between "rome" and "milan" get lost between the nodes of the two leaves`,
		func(s scene, rome, milan *station) {
			s.losesAll(rome, milan, false, 1, 2)
			s.losesAll(milan, rome, false, 1, 2)
		},
	},
	"a gateway drops what comes from the tunnel, and pod networks drop what gateways say": {
		betweenNodes, func(s scene, rome, milan *station) {
			s.losesAll(rome, milan, false, 1)
			s.losesAll(milan, rome, true, 1)
			for node := range rome.names {
				rome.silent(node)
				milan.silent(node)
			}
		},
	},
}

// brokenAlone are the faults on two leaves with one node each, where no other node shows anything, as they were made on
// virtual machines.
var brokenAlone = map[string]breakage{
	"Rome's node drops packets before its routes": {"Pod rome first", func(s scene, rome, milan *station) {
		s.losesAll(rome, milan, false)
		s.losesAll(milan, rome, false, 1, 2)
		rome.isolated(first)
	}},
	"Rome's node does not forward": {"Node rome first", func(s scene, rome, milan *station) {
		s.losesAll(rome, milan, false, 1)
		s.losesAll(milan, rome, true, 1, 2)
	}},
	// As long as Liqo does not know a pod, answers come to it past the overlay.
	"Rome's node drops what comes from the overlay, and Liqo learns of its pods late": {
		`Unknown: packets from "milan" to "rome" get lost between the nodes of the two leaves`,
		func(s scene, rome, milan *station) {
			s.losesAll(milan, rome, false, 1, 2)
			s.losesAll(rome, milan, true, 1, 2)
			rome.again[first].overlay = &answer{Sent: looking}
		},
	},
	"Milan's node drops what comes through the overlay": {
		behind("first", "milan", "rome"), func(s scene, rome, milan *station) {
			s.losesAll(rome, milan, false, 1, 2)
			s.losesAll(milan, rome, false, 1)
			milan.silent(first)
		},
	},
	"Rome's gateway drops what comes from the tunnel, or Milan's what goes into it": {
		`Gateway: packets from "milan" to "rome" get lost in one of the two gateways`, func(s scene, rome, milan *station) {
			s.losesAll(rome, milan, true, 1, 2)
			s.losesAll(milan, rome, false, 1, 2)
		},
	},
}

func TestEachFaultHasItsHop(t *testing.T) {
	for number, breakages := range map[int]map[string]breakage{1: brokenAlone, 2: broken} {
		for name, test := range breakages {
			t.Run(name, func(t *testing.T) {
				s := newSceneOf(two[:number], clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan"))
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
}

// late are what nobody tells in time where nodes are slow, or what a pod network drops.
var late = map[string]func(s *station){
	"what has arrived":      func(s *station) { s.heard = nil },
	"pods without a route":  func(s *station) { s.detours = nil },
	"pods that look again":  func(s *station) { s.again = nil },
	"the gateways' tunnel":  func(s *station) { s.isUp = false },
	"the gateway's address": func(s *station) { s.gateway, s.overlay = "", "" },
	"the overlay": func(s *station) {
		for i := range s.reports {
			s.reports[i].overlay = nil
		}
	},
	"what gateways say": func(s *station) { s.unsaid(func(one said) bool { return one.hops == hopsToGateway }) },
	"what routers say":  func(s *station) { s.unsaid(func(said) bool { return true }) },
}

// unsaid makes gateways silent in the overlay, and lets nobody hear what some routers say.
func (s *station) unsaid(lost func(said) bool) {
	for i := range s.reports {
		s.silent(i)
		for _, one := range s.reports[i].answers {
			one.said = slices.DeleteFunc(one.said, lost)
		}
	}
}

func TestWhatNobodyTellsInTimeMakesNoVerdictWrong(t *testing.T) {
	missing := slices.Sorted(maps.Keys(late))
	atRome, atMilan := clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan")
	for which := range uint(1) << len(missing) {
		for number, breakages := range map[int]map[string]breakage{1: brokenAlone, 2: broken} {
			for name, test := range breakages {
				s := newSceneOf(two[:number], atRome, atMilan)
				test.happens(s, s.client, s.server)
				var without []string
				for i, what := range missing {
					if which&(1<<i) != 0 {
						late[what](s.client)
						late[what](s.server)
						without = append(without, what)
					}
				}
				hop, _, _ := strings.Cut(test.want, ":")
				for _, place := range places(s.find(t)) {
					if place != hop && !strings.Contains(place, ":") {
						t.Errorf("%s, without %q: got %s, which is %s", name, without, place, hop)
					}
				}
			}
		}
	}
}

func TestAFaultThatMayBeTheReasonOfAnotherOneSaysSo(t *testing.T) {
	s := newSceneOf(two[:1], clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan"))
	brokenAlone["Rome's node does not forward"].happens(s, s.client, s.server)
	s.client.heard = nil // so nobody knows that the pings from Milan arrive
	found := s.find(t)
	if got := places(found); !slices.Equal(got, []string{"Node rome first"}) {
		t.Fatalf("got %q", got)
	}
	clustertest.Has(t, strings.Join(found[0].Evidence, "\n"),
		`Packets between "milan" and "rome" get lost, too. This may be the reason`)
}

func TestWhichGatewayDropsPacketsIsForThePeopleToSee(t *testing.T) {
	s := newScene(t)
	s.losesAll(s.client, s.server, false, 1, 2)
	s.losesAll(s.server, s.client, true, 1, 2)
	clustertest.Has(t, s.find(t)[0].Detail(), "Both gateways report the tunnel as up.",
		"  kubectl -n liqo-tenant-milan exec deployment/gw-milan -c gateway -- timeout 600 tcpdump -ni liqo-tunnel 'icmp[",
		"  kubectl -n liqo-tenant-rome exec deployment/gw-rome -c gateway -- timeout 600 tcpdump -ni liqo-tunnel 'icmp[",
		`If the first one shows no pings from the pods of "rome", its gateway drops them. If only`)
}

func TestAnOpenVerdictSaysWhatWasMissed(t *testing.T) {
	s := newScene(t)
	s.losesAll(s.client, s.server, false, 1, 2)
	s.losesAll(s.server, s.client, false, 1, 2)
	s.client.isUp = false
	s.server.miss("What pods without a route see", errors.New("they have not ended"))
	clustertest.Has(t, s.find(t)[0].Detail(),
		`The gateway of "rome" has not reported the tunnel since, so nobody knows whether it is up.`,
		`What pods without a route see would tell more about leaf "milan", but nobody knows: they have not ended.`,
		"check the overlay of that leaf")
}

func TestPacketsThatPassAgainAreNoFault(t *testing.T) {
	s := newScene(t)
	rome, milan := s.client, s.server
	s.losesAll(rome, milan, false, 1, 2)
	s.losesAll(milan, rome, false, 1, 2)
	for node := range two {
		rome.again[node].answers, milan.again[node].answers = rome.eachAnswers(looking), milan.eachAnswers(looking)
	}
	if found := s.find(t); len(found) > 0 {
		t.Errorf("got %q", places(found))
	}
	unknown := s.unknown(rome.paths()[0])
	clustertest.Has(t, unknown.Detail(), "When the test looked again, they were answered.")
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

func TestLargePacketsThatGetLostAndTooMuchLossAreFaultsAlthoughPathsWork(t *testing.T) {
	for name, test := range map[string]struct {
		observed func(s scene, path *answer) // of a pod of Rome's first node from one of Milan's first node
		want     trouble.ID                  // empty for no fault
		says     string
	}{
		"all packets pass":               {func(scene, *answer) {}, "", ""},
		"a size that the tunnel has not": {sized(1200), "tunnel-large-packets-lost", "`mtu = 1200`"},
		"a size that was not measured":   {sized(0), "", ""},
		"a size that an overlay has not": {func(s scene, path *answer) {
			path.Largest, s.server.reports[second].overlay = 1200, all(3)
			s.server.reports[second].overlay.Largest = 1200
		}, "overlay-large-packets-lost", `node "second" of leaf "milan" and the gateway, packets of 1200 bytes pass.`},
		"a size that pods have not, either": {func(s scene, path *answer) {
			path.Largest, s.server.reports[first].mtu, s.server.reports[second].mtu = 1280, 1280, 1280
		}, "", ""},
		"a last ping that is lost": {losing(10, answer{Answered: 9, last: 9}), "", ""},
		"as much loss as accepted": {losing(20, answer{Answered: 8, last: passing}), "", ""},
		"more loss than accepted":  {losing(20, answer{Answered: 7, last: passing}), "some-packets-lost", "7 of 10"},
		"answers only at the end":  {losing(0, answer{}), "some-packets-lost", "0 of 10"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			test.observed(s, s.client.reports[first].answers["10.71.0.1"])
			found := s.faults(t.Context(), &Result{Paths: append(s.client.paths(), s.server.paths()...)})
			switch {
			case test.want == "" && len(found) == 0:
			case len(found) != 1 || found[0].ID != test.want:
				t.Errorf("got %+v", found)
			default:
				clustertest.Has(t, found[0].Detail(), test.says)
			}
		})
	}
}

// sized says what the largest packet on a path was.
func sized(largest int) func(scene, *answer) {
	return func(_ scene, path *answer) { path.Largest = largest }
}

// losing says which pings were answered on a path, where so many percent may be lost.
func losing(accepted int, answers answer) func(scene, *answer) {
	answers.Sent, answers.Largest = passing, 1340
	return func(s scene, path *answer) { s.options.MaxLossPercent, *path = accepted, answers }
}

func TestTheAdviceAboutTheOverlayHoldsForEveryLiqo(t *testing.T) {
	s := newScene(t)
	clustertest.Has(t, (way{from: s.client, to: s.server}).overlayHere(t.Context()).Advice,
		"UDP port 6091 unless Liqo was installed with another `networking.genevePort`",
		"\n\n  kubectl -n liqo delete pod -l app.kubernetes.io/name=fabric --field-selector spec.nodeName=first")
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
