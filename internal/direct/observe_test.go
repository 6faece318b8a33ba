package direct

import (
	"errors"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// denying is the Deployment of a Liqo that forbids direct connections.
func denying() *appsv1.Deployment {
	return clustertest.Controllers("", "--v=2", "--deny-direct-connections")
}

func TestALeafThatHasNotAcceptedTheNamespaceHasTheReasonInItsLog(t *testing.T) {
	refused := namespaceMap("rome")
	refused.Status.CurrentMapping = nil
	centre := clustertest.Leaf(t, "europe", web(asked), virtualNode("rome"), virtualNode("milan"), refused,
		namespaceMap("milan"))
	members, err := of(centre, rome(t), milan(t)).members(t.Context())
	must(t, err)
	for _, m := range members {
		obstacle, err := m.unmapped(t.Context(), pod{})
		switch {
		case err != nil || (obstacle != nil) != (m.name() == "rome"):
			t.Errorf("%s: got %+v (%v)", m.name(), obstacle, err)
		case obstacle != nil && obstacle.Advice != "The log of liqo-controller-manager on that leaf says why.":
			t.Errorf("the advice is %q", obstacle.Advice)
		}
	}
}

func TestEachLeafShowsWhichAddressItUsesForEachPod(t *testing.T) {
	type objects = []client.Object
	direct, past, network := reflected("web-milan", toMilan), reflected("web-milan", toMilanBack), joined("milan")
	unreadyPods, unreadyInMilan := unready(podsOfWeb()), objects{joined("rome"), unready(reflected("web-rome", toRome))}
	remapped := slice("web-0", map[string]string{"web-rome": "10.0.1.5", "web-milan": "10.90.2.5"})
	usual, inMilan := inEurope(web(asked), podsOfWeb()), objects{joined("rome"), reflected("web-rome", toRome)}
	withoutRequest := inEurope(web(nil), podsOfWeb())
	for name, test := range map[string]struct {
		inEurope, inRome, inMilan objects
		release                   func(*cluster.Leaf) *cluster.Leaf // of Liqo in Rome; nil for 1.2
		path                      Path                              // from Rome to web-milan
		says                      string                            // part of its problem
		concluded                 Status
	}{
		"direct":            {usual, objects{network, direct}, inMilan, nil, Direct, "", Followed},
		"without a request": {withoutRequest, objects{network, past}, nil, nil, Central, "", Undone},
		"without a network": {
			usual, objects{past}, nil, nil, Central, `Leaves "rome" and "milan" have no network`, Partial,
		},
		"a network that came later": {
			usual, objects{network, past}, objects{joined("rome")}, nil, Central,
			`Liqo on leaf "rome" has not looked at the Service`, Outdated,
		},
		"a network that has gone": {withoutRequest, objects{direct}, nil, nil, Stale, "packets are lost", Undone},
		"a network that has gone under a request": {
			usual, objects{direct}, nil, nil, Stale, "packets are lost", Outdated,
		},
		"a pod that a leaf has not heard of": {
			usual, objects{network}, inMilan, nil, None, `not told leaf "rome"`, Followed,
		},
		"a leaf that denies": {
			usual, objects{network, denying()}, inMilan, nil, None, "`networking.denyDirectConnections`", Partial,
		},
		"a leaf with an older Liqo": {
			usual, objects{network, past}, inMilan, clustertest.OlderLiqo, Central, "Update it to v1.2.0", Partial,
		},
		"a central cluster that remaps": {
			append(inEurope(web(asked), remapped), clustertest.Remapped("milan", "10.90.0.0/16", "10.91.0.0/16")),
			objects{network, past}, inMilan, nil, Central,
			`it remaps 10.0.0.0/16 to 10.90.0.0/16`, Partial,
		},
		"a network that is down": {
			usual, objects{network, unready(reflected("web-milan", toMilan)), twin()}, inMilan, clustertest.NextLiqo,
			FailedOver, `The network of "rome" and "milan" is not connected`, Partial,
		},
		"a network that is up again": {
			usual, objects{network, direct, unready(twin())}, inMilan, clustertest.NextLiqo, Direct, "", Followed,
		},
		"a leaf that denies and keeps the way through the central cluster": {
			usual, objects{network, denying(), twin()}, inMilan, clustertest.NextLiqo, Central,
			`So "rome" reaches the pods of other leaves through the central cluster`, Partial,
		},
		"without a network, and the way through the central cluster is kept": {
			usual, objects{twin()}, nil, clustertest.NextLiqo, Central,
			`so Liqo on "rome" sends packets through the central cluster`, Partial,
		},
		"a network that came later, and Liqo looks by itself": {
			usual, objects{network, past}, inMilan, clustertest.NextLiqo, Central, "It does so by itself", Partial,
		},
		"a network that has gone, where Liqo looks by itself": {
			usual, objects{direct}, nil, clustertest.NextLiqo, Stale, "packets are lost", Outdated,
		},
		"a central cluster that is away": {
			usual, objects{network, unready(reflected("web-milan", toMilan))}, inMilan, nil, Direct,
			"the Service sends it no packets", Partial,
		},
		"a pod that is not ready itself": {
			inEurope(web(asked), unreadyPods), objects{network, unready(reflected("web-milan", toMilan))}, unreadyInMilan,
			nil, Direct, "", Followed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			leaf := rome(t, test.inRome...)
			if test.release != nil {
				leaf = test.release(leaf)
			}
			centre := clustertest.Leaf(t, "europe", test.inEurope...)
			state, err := of(centre, leaf, milan(t, test.inMilan...)).Observe(t.Context())
			if err != nil || len(state.Leaves) != 2 || state.Leaves[1].Err != nil {
				t.Fatalf("%+v, %v", state, err)
			}
			all := state.Leaves[1].Endpoints
			got, own := all[len(all)-2], all[len(all)-1]
			if got.Leaf != "rome" || got.Pod != "web-milan" || got.Cluster != "milan" || got.Path != test.path ||
				!strings.Contains(got.Problem, test.says) || (got.Problem == "") != (test.says == "") {
				t.Errorf("got %+v", got)
			}
			if own.Address != "10.0.1.5" || own.Path != Local || own.Problem != "" {
				t.Errorf("its own pod: %+v", own)
			}
			if got := state.Status(); got != test.concluded {
				t.Errorf("the status is %s", got)
			}
		})
	}
}

func TestOneAddressThatLiqoCannotTranslateKeepsTheOthersOfTheEndpointSliceFromFollowing(t *testing.T) {
	pods := slice("web-0", map[string]string{"web-rome": "10.0.1.5", "web-milan": "10.0.2.5", "web-naples": "10.0.3.5"})
	centre := clustertest.Leaf(t, "europe", append(inEurope(web(asked), pods), virtualNode("naples"))...)
	service := of(centre, rome(t, joined("milan"), reflected("web-milan", toMilanBack)),
		milan(t, joined("rome"), joined("naples"), reflected("web-rome", toRome)))
	state, err := service.Observe(t.Context())
	if err != nil || state.Status() != Partial {
		t.Fatalf("%+v, %v", state, err)
	}
	const expected = `Leaves "rome" and "naples" have no network`
	toMilan := state.Leaves[1].Endpoints[0]
	if toMilan.Pod != "web-milan" || toMilan.Path != Central || !strings.Contains(toMilan.Problem, expected) {
		t.Errorf("got %+v", toMilan)
	}
	if found := state.Leaves[1].Obstacles; len(found) != 1 || found[0].Missing != [2]string{"naples", "rome"} ||
		found[0].ID != "leaves-not-joined" {
		t.Errorf("got %+v", found)
	}
}

func TestALeafThatCannotBeReadIsShownWithItsError(t *testing.T) {
	state, err := of(europe(t, web(asked)), milan(t, joined("rome"), reflected("web-rome", toRome))).Observe(t.Context())
	if err != nil || len(state.Leaves) != 2 {
		t.Fatalf("%+v, %v", state, err)
	}
	if got := state.Status(); got != Partial {
		t.Errorf("the status is %s, although nobody knows what the leaf does", got)
	}
	if lost := state.Leaves[1]; lost.Name != "rome" || !Unknown(lost.Err) || len(lost.Endpoints) > 0 {
		t.Errorf("got %+v", lost)
	}
	if seen := state.Leaves[0].Endpoints[1]; seen.Cluster != "rome" || seen.Path != Direct {
		t.Errorf("got %+v", seen)
	}
}

func TestAServiceThatDoesNotExistIsNoError(t *testing.T) {
	state, err := New(clustertest.Leaf(t, "europe"), "shop", "web", nil).Observe(t.Context())
	if err != nil || state.Exists {
		t.Errorf("%+v, %v", state, err)
	}
}

func TestAnErrorOfTheCentreIsAnError(t *testing.T) {
	centre, broken := europe(t, web(asked)), errors.New("broken")
	clustertest.Fail[any](centre, "list", broken)
	if _, err := of(centre).Observe(t.Context()); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
