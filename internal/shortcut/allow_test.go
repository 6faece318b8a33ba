package shortcut

import (
	"errors"
	"reflect"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

var (
	database = &Allow{ToServer: []liqo.Rule{{Protocol: liqo.TCP, Port: 5432}}}
	pings    = &Allow{ToClient: []liqo.Rule{{Protocol: liqo.ICMP}}}
)

// limitedTo connects two leaves of Liqo so that only that may cross.
func limitedTo(t *testing.T, allow *Allow) (*Shortcut, Spec) {
	t.Helper()
	rome, milan := romeAndMilan(t)
	s, spec := New(rome, milan).OwnedBy(me), overNodePort
	spec.WaitForConnection, spec.Allow = true, allow
	must(t, s.Connect(t.Context(), spec))
	return s, spec
}

func allowedBy(t *testing.T, s *Shortcut) (*Allow, Status) {
	t.Helper()
	state, err := s.Observe(t.Context())
	must(t, err)
	return state.Allow, state.Status
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
		must(t, s.Connect(t.Context(), spec))
		if got, status := allowedBy(t, s); !reflect.DeepEqual(got, allow) || status != Connected {
			t.Errorf("%+v became %+v, %s", allow, got, status)
		}
		for _, e := range s.Ends() {
			rules := rulesAt(t, e)
			if len(rules) != 1 || !e.Owner.Owns(&rules[0]) || !liqo.OwnedBy(&rules[0], gatewayAt(t, s, e)) {
				t.Errorf("%s has %+v", e.Leaf.Name, rules)
			}
		}
	}
}

func TestWithoutLimitsNoRuleIsLeft(t *testing.T) {
	s, spec := limitedTo(t, database)
	spec.Allow = nil
	must(t, s.Connect(t.Context(), spec))
	if got, status := allowedBy(t, s); got != nil || status != Connected {
		t.Errorf("got %+v, %s", got, status)
	}
	for _, e := range s.Ends() {
		if left := rulesAt(t, e); len(left) > 0 {
			t.Errorf("%s still has %+v", e.Leaf.Name, left)
		}
	}
}

func TestADestroyLeavesNoRules(t *testing.T) {
	for _, keep := range []bool{false, true} {
		s, _ := limitedTo(t, database)
		must(t, s.Disconnect(t.Context(), Removal{KeepConfigurations: keep}))
		for _, e := range s.Ends() {
			if left := rulesAt(t, e); len(left) > 0 {
				t.Errorf("%s still has %+v", e.Leaf.Name, left)
			}
		}
	}
}

func TestRulesThatSomeoneHasEditedOrRemovedAreRestored(t *testing.T) {
	for name, spoil := range map[string]func(*testing.T, *end.End, *networkingv1beta1.FirewallConfiguration){
		"edited": func(t *testing.T, e *end.End, rules *networkingv1beta1.FirewallConfiguration) {
			t.Helper()
			if err := e.Leaf.Edit(t.Context(), rules, func(object client.Object) {
				edited, ok := object.(*networkingv1beta1.FirewallConfiguration)
				if !ok {
					t.Fatalf("%T is no FirewallConfiguration", object)
				}
				table := &edited.Spec.Table
				table.Chains = table.Chains[:4]
			}); err != nil {
				t.Fatal(err)
			}
		},
		"removed": func(t *testing.T, e *end.End, rules *networkingv1beta1.FirewallConfiguration) {
			t.Helper()
			must(t, e.Leaf.Clients().Live.Delete(t.Context(), rules))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, spec := limitedTo(t, database)
			spoil(t, s.Server, &rulesAt(t, s.Server)[0])
			if got, status := allowedBy(t, s); got != nil || status != Disconnected {
				t.Errorf("got %+v, %s", got, status)
			}
			must(t, s.Connect(t.Context(), spec))
			if got, status := allowedBy(t, s); !reflect.DeepEqual(got, database) || status != Connected {
				t.Errorf("restored as %+v, %s", got, status)
			}
		})
	}
}

func TestLimitsThatALeafCantEnforceAreRefusedBeforeItsGatewayExists(t *testing.T) {
	outside := &Allow{ToServer: []liqo.Rule{{CIDRs: []string{"10.9.0.0/24"}}}}
	for name, test := range map[string]struct {
		allow *Allow
		old   bool
	}{"Liqo 1.0": {database, true}, "a range without pods": {outside, false}} {
		t.Run(name, func(t *testing.T) {
			rome, milan := romeAndMilan(t)
			if test.old {
				milan = clustertest.OldestLiqo(milan)
			}
			s, spec := New(rome, milan).OwnedBy(me), overNodePort
			spec.Allow = test.allow
			if err := s.Connect(t.Context(), spec); !errors.Is(err, end.ErrRules) {
				t.Error(err)
			}
			if gateway := gatewayAt(t, s, s.Server); gateway != nil {
				t.Error("there is a gateway")
			}
		})
	}
}
