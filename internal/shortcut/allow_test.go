package shortcut

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"testing/synctest"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/reactions"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

var (
	database = &Allow{ToServer: []liqo.Rule{{Protocol: liqo.TCP, Port: 5432}}}
	pings    = &Allow{ToClient: []liqo.Rule{{Protocol: liqo.ICMP}}}
)

// limitedTo connects two leaves of Liqo so that only that may cross.
func limitedTo(t *testing.T, allow *Allow) (*Shortcut, Spec) {
	t.Helper()
	s, spec := toConnect(t)
	spec.WaitForConnection, spec.Allow = true, allow
	s.connects(t, spec)
	return s, spec
}

func rulesAt(t *testing.T, e *end.End) []networkingv1beta1.FirewallConfiguration {
	t.Helper()
	var all networkingv1beta1.FirewallConfigurationList
	must(t, e.Leaf.Clients().Live.List(t.Context(), &all))
	return all.Items
}

func TestWhatMayCrossIsEnforcedAtBothEndsAndChangesInPlace(t *testing.T) {
	s, spec := limitedTo(t, database)
	for _, allow := range []*Allow{database, pings, {}, database} {
		spec.Allow = allow
		s.connects(t, spec)
		if got := s.seen(t); !reflect.DeepEqual(got.Allow, allow) || got.Status != Connected {
			t.Errorf("%+v became %+v, %s", allow, got.Allow, got.Status)
		}
		for _, e := range s.Ends() {
			rules := rulesAt(t, e)
			if len(rules) != 1 || !e.Owner.Owns(&rules[0]) || !liqo.OwnedBy(&rules[0], gatewayAt(t, e)) {
				t.Errorf("%s has %+v", e.Leaf.Name, rules)
			}
		}
	}
}

func TestRulesThatSomeoneHasEditedOrRemovedAreRestored(t *testing.T) {
	type firewall = networkingv1beta1.FirewallConfiguration
	for name, spoil := range map[string]func(context.Context, client.Client, *firewall) error{
		"edited": func(ctx context.Context, milan client.Client, rules *firewall) error {
			rules.Spec.Table.Chains = rules.Spec.Table.Chains[:4]
			return milan.Update(ctx, rules)
		},
		"removed": func(ctx context.Context, milan client.Client, rules *firewall) error { return milan.Delete(ctx, rules) },
	} {
		t.Run(name, func(t *testing.T) {
			s, spec := limitedTo(t, database)
			must(t, spoil(t.Context(), s.Server.Leaf.Clients().Live, &rulesAt(t, s.Server)[0]))
			if got := s.seen(t); got.Allow != nil || got.Status != Disconnected {
				t.Errorf("got %+v, %s", got.Allow, got.Status)
			}
			s.connects(t, spec)
			if got := s.seen(t); !reflect.DeepEqual(got.Allow, database) || got.Status != Connected {
				t.Errorf("restored as %+v, %s", got.Allow, got.Status)
			}
		})
	}
}

// serveLimited ensures Milan's gateway for Rome, through which only that may cross.
func serveLimited(t *testing.T, milan *cluster.Leaf, allow *Allow) EndObject {
	t.Helper()
	gateway := endObjectOf(milan, "rome", owner.GatewayServerResource)
	must(t, gateway.EnsureGateway(t.Context(), "", allow, liqo.Endpoint{}, overNodePort.Server))
	return gateway
}

// dialLimited ensures a gateway of Rome that dials Milan's, and through which only that may cross.
func dialLimited(t *testing.T, milans EndObject, allow *Allow) EndObject {
	t.Helper()
	gateway := endObjectOf(romeAlone(t), "milan", owner.GatewayClientResource)
	must(t, gateway.EnsureGateway(t.Context(), "", allow, *milans.seen(t).Endpoint, overNodePort.Client))
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
		if allow == nil && len(rules) > 0 || allow != nil && (len(rules) != 1 ||
			!gateway.End.Owner.Owns(&rules[0]) || !owner.IsEndObject(&rules[0])) {
			t.Errorf("with %+v, there are %+v", allow, rules)
		}
	}
}

func TestRemovedRulesOfOneEndNeedARepair(t *testing.T) {
	gateway := serveLimited(t, milanAlone(t), database)
	must(t, gateway.End.Leaf.Clients().Live.Delete(t.Context(), &rulesAt(t, gateway.End)[0]))
	repair := gateway.Repair(t.Context())
	if got := gateway.seen(t); repair.Err != nil || !repair.Needed || got.Allow != nil || got.Status != Disconnected {
		t.Errorf("got %+v, %s (%v)", got.Allow, got.Status, repair.Err)
	}
}

func TestTheRulesOfOneEndAreForAllItsPodsAndForAnswersFromAnywhere(t *testing.T) {
	milan := milanAlone(t)
	allow := &Allow{ToServer: database.ToServer, ToClient: pings.ToClient}
	gateway := serveLimited(t, milan, allow)
	objects, err := gateway.End.Find(t.Context())
	must(t, err)
	expected := &liqo.Limits{
		In: database.ToServer, Out: pings.ToClient, Own: []string{"10.2.0.0/16"}, Other: []string{"0.0.0.0/0"},
		Nodes: "10.70.0.0",
	}
	if !reflect.DeepEqual(objects.Limits(), expected) || !objects.LimitsApplied() {
		t.Errorf("they are %+v", objects.Limits())
	}
	dials := dialLimited(t, gateway, allow)
	if objects, err = dials.End.Find(t.Context()); err != nil || !reflect.DeepEqual(objects.Limits().In, pings.ToClient) {
		t.Errorf("Rome's are %+v (%v)", objects.Limits(), err)
	}
	if got := dials.seen(t).Allow; !reflect.DeepEqual(got, allow) {
		t.Errorf("Rome's end shows %+v", got)
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
	s.connects(t, spec)
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
	milan := milanAlone(t)
	rome := dialLimited(t, serveLimited(t, milan, atServer), atClient).End.Leaf
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

// enforcesLate lets the gateway of a leaf report its rules only when the returned function is called.
func enforcesLate(t *testing.T, leaf *cluster.Leaf) (enforce func()) {
	t.Helper()
	report := func(call func(*networkingv1beta1.FirewallConfiguration)) error {
		var all networkingv1beta1.FirewallConfigurationList
		if err := leaf.Clients().Live.List(t.Context(), &all); err != nil {
			return err
		}
		for i := range all.Items {
			call(&all.Items[i])
			if err := leaf.Clients().Live.Status().Update(t.Context(), &all.Items[i]); err != nil {
				return err
			}
		}
		return nil
	}
	clustertest.On(leaf, "apply", func(call clustertest.Call[client.Object]) error {
		err := call.Send()
		if err != nil || call.Object.GetObjectKind().GroupVersionKind().Kind != cluster.FirewallConfigurationKind {
			return err
		}
		return report(func(rules *networkingv1beta1.FirewallConfiguration) { rules.Status.Conditions = nil })
	})
	return func() { must(t, report(reactions.Enforce)) }
}

func TestAGatewayGetsTheOthersKeyOnceItEnforcesItsRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, spec := toConnect(t)
		atRome, atMilan := enforcesLate(t, s.Client.Leaf), enforcesLate(t, s.Server.Leaf)
		spec.Allow = database
		ended := make(chan error, 1)
		go func() { ended <- s.Connect(t.Context(), spec) }()
		keys := func() (client, server bool) {
			synctest.Wait()
			n := s.found(t)
			if n.client.Gateway == nil || n.server.Gateway == nil {
				t.Fatal("there are no gateways yet")
			}
			return n.client.PublicKey != nil, n.server.PublicKey != nil
		}
		if client, server := keys(); client || server {
			t.Errorf("without rules, the gateways have keys: %t, %t", client, server)
		}
		atRome()
		if client, server := keys(); !client || server {
			t.Errorf("with rules in the client's, the gateways have keys: %t, %t", client, server)
		}
		atMilan()
		must(t, <-ended)
		if client, server := keys(); !client || !server {
			t.Errorf("with rules in both, the gateways have keys: %t, %t", client, server)
		}
	})
}
