package shortcut

import (
	"errors"
	"reflect"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/liqotest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// serveLimited ensures Milan's gateway for Rome, through which only that may cross.
func serveLimited(t *testing.T, milan *cluster.Leaf, allow *Allow) EndObject {
	t.Helper()
	gateway := endObjectOf(milan, "rome", owner.GatewayServerResource)
	must(t, gateway.EnsureGateway(t.Context(), "", allow, liqo.Endpoint{}, overNodePort.Server))
	return gateway
}

func TestAGatewayOfOneEndEnforcesWhatMayCrossAndChangesItInPlace(t *testing.T) {
	milan := milanAlone(t)
	for _, allow := range []*Allow{database, pings, {}, nil, database} {
		gateway := serveLimited(t, milan, allow)
		if got := gateway.seen(t); !reflect.DeepEqual(got.Allow, allow) || got.Status != Connecting {
			t.Errorf("%+v became %+v, %s", allow, got.Allow, got.Status)
		}
		rules := rulesAt(t, gateway.End)
		if allow == nil {
			if len(rules) > 0 {
				t.Errorf("there are still %+v", rules)
			}
			continue
		}
		if len(rules) != 1 || !gateway.End.Owner.Owns(&rules[0]) || !owner.IsEndObject(&rules[0]) {
			t.Errorf("there are %+v", rules)
		}
	}
}

func TestTheRulesOfOneEndAreForAllItsPodsAndForAnswersFromAnywhere(t *testing.T) {
	milan := milanAlone(t)
	gateway := serveLimited(t, milan, &Allow{ToServer: database.ToServer, ToClient: pings.ToClient})
	objects, err := gateway.End.Find(t.Context())
	expected := &liqo.Limits{
		In: database.ToServer, Out: pings.ToClient, Own: []string{"10.2.0.0/16"}, Other: []string{"0.0.0.0/0"},
		Nodes: "10.70.0.0",
	}
	if err != nil || !reflect.DeepEqual(objects.Limits(), expected) || !objects.LimitsApplied() {
		t.Errorf("they are %+v (%v)", objects.Limits(), err)
	}
	rome := liqotest.Leaf(t, "rome", ranges("10.1.0.0/16")...)
	dials := endObjectOf(rome, "milan", owner.GatewayClientResource)
	allow := &Allow{ToServer: database.ToServer, ToClient: pings.ToClient}
	endpoint := *gateway.seen(t).Endpoint
	must(t, dials.EnsureGateway(t.Context(), "", allow, endpoint, overNodePort.Client))
	if objects, err = dials.End.Find(t.Context()); err != nil || !reflect.DeepEqual(objects.Limits().In, pings.ToClient) {
		t.Errorf("Rome's are %+v (%v)", objects.Limits(), err)
	}
	if got := dials.seen(t).Allow; !reflect.DeepEqual(got, allow) {
		t.Errorf("Rome's end shows %+v", got)
	}
}

func TestEditedRulesOfOneEndAreSeenAndRestored(t *testing.T) {
	milan := milanAlone(t)
	for name, spoil := range map[string]func(rules client.Object) error{
		"edited": func(rules client.Object) error {
			return milan.Edit(t.Context(), rules, func(object client.Object) {
				cluster.RemoveAnnotation(object, liqo.LimitsAnnotation)
			})
		},
		"removed": func(rules client.Object) error { return milan.Clients().Live.Delete(t.Context(), rules) },
	} {
		t.Run(name, func(t *testing.T) {
			gateway := serveLimited(t, milan, database)
			must(t, spoil(&rulesAt(t, gateway.End)[0]))
			repair := gateway.Repair(t.Context())
			if got := gateway.seen(t); repair.Err != nil || !repair.Needed || got.Allow != nil || got.Status != Disconnected {
				t.Errorf("got %+v, %s (%v)", got.Allow, got.Status, repair.Err)
			}
			if got := serveLimited(t, milan, database).seen(t); !reflect.DeepEqual(got.Allow, database) {
				t.Errorf("restored as %+v", got.Allow)
			}
		})
	}
}

func TestTheRemovalOfAGatewayOfOneEndLeavesNoRules(t *testing.T) {
	milan := milanAlone(t)
	gateway := serveLimited(t, milan, database)
	if _, err := gateway.Remove(t.Context(), liqo.KeySecret{}); err != nil {
		t.Fatal(err)
	}
	if left := rulesAt(t, gateway.End); len(left) > 0 {
		t.Errorf("there are still %+v", left)
	}
}

func TestRulesThatOneEndCantEnforceAreRefusedBeforeItsGatewayExists(t *testing.T) {
	outside := &Allow{ToServer: []liqo.Rule{{CIDRs: []string{"10.9.0.0/24"}}}}
	for name, test := range map[string]struct {
		milan   *cluster.Leaf
		allow   *Allow
		refused bool
	}{
		"Liqo 1.0":                   {clustertest.OldestLiqo(milanAlone(t)), database, true},
		"a range without pods":       {milanAlone(t), outside, true},
		"a range of the other leaf":  {milanAlone(t), &Allow{ToClient: outside.ToServer}, false},
		"Liqo 1.0 without any rules": {clustertest.OldestLiqo(milanAlone(t)), nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			gateway := endObjectOf(test.milan, "rome", owner.GatewayServerResource)
			checked := gateway.CheckAllow(t.Context(), test.allow)
			err := gateway.EnsureGateway(t.Context(), "", test.allow, liqo.Endpoint{}, overNodePort.Server)
			if errors.Is(checked, end.ErrRules) != test.refused || errors.Is(err, end.ErrRules) != test.refused {
				t.Errorf("%v at the plan, %v at the apply", checked, err)
			}
			if got := gateway.seen(t); got.Exists == test.refused {
				t.Errorf("the gateway is %+v", got)
			}
		})
	}
}

func TestAnEndTakesOverTheRulesOfAShortcutAndSaysForWhichPods(t *testing.T) {
	s, spec := limitedTo(t, database)
	spec.ServerEnd.PodCIDRs = []string{"10.1.0.0/17"}
	must(t, s.Connect(t.Context(), spec))
	self := me
	self.Resource = owner.GatewayServerResource
	server := NewEndObject(s.Server.Leaf, "rome", self)
	self.Resource = owner.GatewayClientResource
	client := NewEndObject(s.Client.Leaf, "milan", self)
	part := &Allow{ToServer: []liqo.Rule{{Protocol: liqo.TCP, Port: 5432, CIDRs: []string{"10.1.0.0/17"}}}}
	if got := server.seen(t).Allow; !reflect.DeepEqual(got, part) {
		t.Errorf("the server has %+v", got)
	}
	if got := client.seen(t).Allow; !reflect.DeepEqual(got, database) {
		t.Errorf("the client has %+v", got)
	}
}

// joinedByEnds returns two leaves whose ends have resources of their own, each with its rules.
func joinedByEnds(t *testing.T, atClient, atServer *Allow) *Shortcut {
	t.Helper()
	milan, rome := milanAlone(t), liqotest.Leaf(t, "rome", ranges("10.1.0.0/16")...)
	gateway := serveLimited(t, milan, atServer)
	dials := endObjectOf(rome, "milan", owner.GatewayClientResource)
	err := dials.EnsureGateway(t.Context(), "", atClient, *gateway.seen(t).Endpoint, overNodePort.Client)
	must(t, err)
	here, there := milansSteps(milan), romesSteps(rome, liqo.Endpoint{})
	ensureAll(t, []step{here[0], here[2], there[0], there[2]})
	return New(rome, milan)
}

func TestAnInspectionShowsTheRulesOfEachEnd(t *testing.T) {
	for name, test := range map[string]struct {
		atClient, atServer, both *Allow
	}{
		"no limits":       {},
		"both":            {database, database, database},
		"only the server": {nil, database, nil},
		"others":          {pings, database, nil},
	} {
		t.Run(name, func(t *testing.T) {
			seen, err := joinedByEnds(t, test.atClient, test.atServer).Inspect(t.Context())
			if err != nil || !reflect.DeepEqual(seen.Allow, test.both) || seen.Status == Disconnected ||
				!reflect.DeepEqual(seen.ClientEnd.Allow, test.atClient) || !reflect.DeepEqual(seen.ServerEnd.Allow, test.atServer) {
				t.Errorf("got %+v, %+v and %+v, %s (%v)", seen.Allow, seen.ClientEnd.Allow, seen.ServerEnd.Allow,
					seen.Status, err)
			}
		})
	}
}

func TestAnInspectionInTheOppositeDirectionShowsTheRulesWithTheRolesOfTheRequest(t *testing.T) {
	s, _ := limitedTo(t, database)
	seen, err := New(s.Server.Leaf, s.Client.Leaf).Inspect(t.Context())
	expected := &Allow{ToClient: database.ToServer}
	if err != nil || !seen.Reversed || !reflect.DeepEqual(seen.Allow, expected) ||
		!reflect.DeepEqual(seen.ClientEnd.Allow, expected) || !reflect.DeepEqual(seen.ServerEnd.Allow, expected) {
		t.Errorf("got %+v, %+v and %+v (%v)", seen.Allow, seen.ClientEnd.Allow, seen.ServerEnd.Allow, err)
	}
}
