package direct

import (
	"errors"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	liqolabels "github.com/liqotech/liqo/pkg/utils/labels"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// denying is the Deployment of a Liqo that forbids direct connections.
func denying() *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: "liqo", Name: "liqo-controller-manager", Labels: map[string]string{},
	}}
	requirements, _ := liqolabels.ControllerManagerLabelSelector().Requirements()
	for _, requirement := range requirements {
		d.Labels[requirement.Key()] = requirement.ValuesUnsorted()[0]
	}
	d.Spec.Template.Spec.Containers = []corev1.Container{{Args: []string{"--v=2", "--deny-direct-connections"}}}
	return d
}

// remapping is the Configuration of a centre that reaches a leaf's pods at other addresses.
func remapping(leaf string) *networkingv1beta1.Configuration {
	return clustertest.Remapped(leaf, "10.90.0.0/16", "10.91.0.0/16")
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
	for name, test := range map[string]struct {
		service   *Service
		fromRome  Endpoint // to web-milan
		says      string   // part of its problem
		concluded Status
	}{
		"direct": {
			of(europe(t, web(asked)), rome(t, joined("milan"), reflected("web-milan", toMilan)),
				milan(t, joined("rome"), reflected("web-rome", toRome))),
			Endpoint{Address: toMilan, Path: Direct}, "", Followed,
		},
		"without a request": {
			of(europe(t, web(nil)), rome(t, joined("milan"), reflected("web-milan", toMilanBack)), milan(t)),
			Endpoint{Address: toMilanBack, Path: Central}, "", Undone,
		},
		"without a network": {
			of(europe(t, web(asked)), rome(t, reflected("web-milan", toMilanBack)), milan(t)),
			Endpoint{Address: toMilanBack, Path: Central}, `Leaves "rome" and "milan" have no network`, Partial,
		},
		"a network that came later": {
			of(europe(t, web(asked)), rome(t, joined("milan"), reflected("web-milan", toMilanBack)), milan(t, joined("rome"))),
			Endpoint{Address: toMilanBack, Path: Central}, `Liqo on leaf "rome" has not looked at the Service`, Outdated,
		},
		"a network that has gone": {
			of(europe(t, web(nil)), rome(t, reflected("web-milan", toMilan)), milan(t)),
			Endpoint{Address: toMilan, Path: Stale}, "packets are lost", Undone,
		},
		"a network that has gone under a request": {
			of(europe(t, web(asked)), rome(t, reflected("web-milan", toMilan)), milan(t)),
			Endpoint{Address: toMilan, Path: Stale}, "packets are lost", Outdated,
		},
		"a pod that a leaf has not heard of": {
			of(europe(t, web(asked)), rome(t, joined("milan")), milan(t, joined("rome"), reflected("web-rome", toRome))),
			Endpoint{Path: None}, `not told leaf "rome"`, Followed,
		},
		"a leaf that denies": {
			of(europe(t, web(asked)), rome(t, joined("milan"), denying()),
				milan(t, joined("rome"), reflected("web-rome", toRome))),
			Endpoint{Path: None}, "`networking.denyDirectConnections`", Partial,
		},
		"a leaf with an older Liqo": {
			of(europe(t, web(asked)), clustertest.OlderLiqo(rome(t, joined("milan"), reflected("web-milan", toMilanBack))),
				milan(t, joined("rome"), reflected("web-rome", toRome))),
			Endpoint{Address: toMilanBack, Path: Central}, "Update it to v1.2.0", Partial,
		},
		"a central cluster that remaps": {
			of(clustertest.Leaf(t, "europe", web(asked), remapping("milan"), virtualNode("rome"), virtualNode("milan"),
				namespaceMap("rome"), namespaceMap("milan"),
				slice("web-0", map[string]string{"web-rome": "10.0.1.5", "web-milan": "10.90.2.5"})),
				rome(t, joined("milan"), reflected("web-milan", toMilanBack)),
				milan(t, joined("rome"), reflected("web-rome", toRome))),
			Endpoint{Address: toMilanBack, Path: Central}, `it remaps 10.0.0.0/16 to 10.90.0.0/16`, Partial,
		},
		"a network that is down": {
			of(europe(t, web(asked)), clustertest.NextLiqo(rome(t, joined("milan"), unready(reflected("web-milan", toMilan)),
				twin())), milan(t, joined("rome"), reflected("web-rome", toRome))),
			Endpoint{Address: toMilanBack, Path: FailedOver}, `The network of "rome" and "milan" is not connected`, Partial,
		},
		"a network that is up again": {
			of(europe(t, web(asked)), clustertest.NextLiqo(rome(t, joined("milan"), reflected("web-milan", toMilan),
				unready(twin()))), milan(t, joined("rome"), reflected("web-rome", toRome))),
			Endpoint{Address: toMilan, Path: Direct}, "", Followed,
		},
		"a leaf that denies and keeps the way through the central cluster": {
			of(europe(t, web(asked)), clustertest.NextLiqo(rome(t, joined("milan"), denying(), twin())),
				milan(t, joined("rome"), reflected("web-rome", toRome))),
			Endpoint{Address: toMilanBack, Path: Central},
			`So "rome" reaches the pods of other leaves through the central cluster`,
			Partial,
		},
		"without a network, and the way through the central cluster is kept": {
			of(europe(t, web(asked)), clustertest.NextLiqo(rome(t, twin())), milan(t)),
			Endpoint{Address: toMilanBack, Path: Central},
			`so Liqo on "rome" sends packets through the central cluster`, Partial,
		},
		"a network that came later, and Liqo looks by itself": {
			of(europe(t, web(asked)), clustertest.NextLiqo(rome(t, joined("milan"), reflected("web-milan", toMilanBack))),
				milan(t, joined("rome"), reflected("web-rome", toRome))),
			Endpoint{Address: toMilanBack, Path: Central}, "It does so by itself", Partial,
		},
		"a network that has gone, where Liqo looks by itself": {
			of(europe(t, web(asked)), clustertest.NextLiqo(rome(t, reflected("web-milan", toMilan))), milan(t)),
			Endpoint{Address: toMilan, Path: Stale}, "packets are lost", Outdated,
		},
		"a central cluster that is away": {
			of(europe(t, web(asked)), rome(t, joined("milan"), unready(reflected("web-milan", toMilan))),
				milan(t, joined("rome"), reflected("web-rome", toRome))),
			Endpoint{Address: toMilan, Path: Direct}, "the Service sends it no packets", Partial,
		},
		"a pod that is not ready itself": {
			of(clustertest.Leaf(t, "europe", web(asked), virtualNode("rome"), virtualNode("milan"), namespaceMap("rome"),
				namespaceMap("milan"), unready(slice("web-0", map[string]string{"web-rome": "10.0.1.5", "web-milan": "10.0.2.5"}))),
				rome(t, joined("milan"), unready(reflected("web-milan", toMilan))),
				milan(t, joined("rome"), unready(reflected("web-rome", toRome)))),
			Endpoint{Address: toMilan, Path: Direct}, "", Followed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			state, err := test.service.Observe(t.Context())
			if err != nil || len(state.Leaves) != 2 || state.Leaves[1].Err != nil {
				t.Fatalf("%+v, %v", state, err)
			}
			all := state.Leaves[1].Endpoints
			got, own := all[len(all)-2], all[len(all)-1]
			if got.Leaf != "rome" || got.Pod != "web-milan" || got.Cluster != "milan" || got.Path != test.fromRome.Path ||
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
	centre := europe(t, web(asked), virtualNode("naples"))
	must(t, replace(t.Context(), centre, slice("web-0", map[string]string{
		"web-rome": "10.0.1.5", "web-milan": "10.0.2.5", "web-naples": "10.0.3.5",
	})))
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
