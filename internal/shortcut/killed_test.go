package shortcut

import (
	"reflect"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/liqotest"
)

// changesOfGateways are changes of a shortcut that write to its gateways.
var changesOfGateways = map[string]func(*Spec){
	"both gateways": func(s *Spec) {
		s.MTU, s.KeyRotation = 1400, "first"
		s.Server.ServiceAnnotations = map[string]string{"speed": "fast"}
	},
	"the endpoint": func(s *Spec) { s.Server.ServiceType, s.Server.Port = corev1.ServiceTypeLoadBalancer, 51900 },
	"another server gateway": func(s *Spec) {
		s.Server.Template = liqo.DefaultTemplate(liqo.ServerRole, "liqo")
		s.Server.Template.Name = "large"
	},
}

// The next apply goes back in one case, and goes on in the other one.
func TestAChangeThatIsKilledAnywhereIsMendedByTheNextApply(t *testing.T) {
	for name, change := range changesOfGateways {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // the lease of a killed apply has to expire
				rome, milan := ofTheNextLiqo(t)
				must(t, milan.Clients().Live.Create(t.Context(), otherTemplate()))
				s, former := New(rome, milan).OwnedBy(me), overNodePort
				former.WaitForConnection = true
				changed := former
				change(&changed)
				s.connects(t, former)
				for writes, finished := int64(0), false; !finished; writes++ {
					for _, next := range []Spec{former, changed} {
						finished = killedAfter(t, s, changed, writes)
						s.connects(t, next)
						expectAsDesired(t, s, next)
					}
					s.connects(t, former)
				}
			})
		})
	}
}

// expectAsDesired fails unless both gateways are as the spec says, and the tunnel is up.
func expectAsDesired(t *testing.T, s *Shortcut, spec Spec) {
	t.Helper()
	state, err := s.Observe(t.Context())
	if err != nil || state.Status != Connected {
		t.Fatalf("it is %+v (%v)", state, err)
	}
	spec = spec.shareSettings()
	server := spec.Server.Observed(*state.ServerGateway, nil, "liqo")
	if spec.Server.NodePort == 0 {
		server.NodePort = 0
	}
	client := spec.Client.Observed(*state.ClientGateway, state.ServerEndpoint, "liqo")
	if spec.KeyRotation == "" { // keys stay as they are
		server.KeyRotation, client.KeyRotation = "", ""
	}
	if !reflect.DeepEqual(server, spec.Server) || !reflect.DeepEqual(client, spec.Client) {
		t.Errorf("the gateways are %+v and %+v, and not %+v and %+v", server, client, spec.Server, spec.Client)
	}
	n, err := s.find(t.Context())
	if err != nil || !n.complete(me.Token) {
		t.Errorf("it is not complete (%v)", err)
	}
	expectKeys(t, s)
}

// inOwnNamespaces is a shortcut that waits for its tunnel, in namespaces of the user's own, which stay when it goes.
func inOwnNamespaces(t *testing.T) (*Shortcut, Spec) {
	t.Helper()
	own := clustertest.Namespace("networks")
	s, spec := New(liqotest.Leaf(t, "rome", append(ranges("10.0.0.0/16"), own)...),
		liqotest.Leaf(t, "milan", append(ranges("10.1.0.0/16"), own.DeepCopy())...)).OwnedBy(me), overNodePort
	spec.WaitForConnection, spec.ClientEnd.Namespace, spec.ServerEnd.Namespace = true, own.Name, own.Name
	return s, spec
}

// killedAfter runs Connect, which is killed after that many writes. It reports whether it has ended before.
func killedAfter(t *testing.T, s *Shortcut, spec Spec, writes int64) bool {
	t.Helper()
	revive := dieAfter(writes, s.Client.Leaf, s.Server.Leaf)
	defer revive()
	return s.Connect(t.Context(), spec) == nil
}

func expectNoRules(t *testing.T, s *Shortcut, writes int64) {
	t.Helper()
	for _, e := range s.Ends() {
		if left := rulesAt(t, e); len(left) > 0 {
			t.Errorf("killed after %d writes: %s still has rules %s/%s", writes, e.Leaf.Name, left[0].Namespace, left[0].Name)
		}
	}
}

func TestADestroyLeavesNoRulesOfACreateThatWasKilledAnywhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the lease of a killed apply has to expire
		s, spec := inOwnNamespaces(t)
		spec.Allow, spec.Create = database, true
		for writes, finished := int64(0), false; !finished; writes++ {
			finished = killedAfter(t, s, spec, writes)
			must(t, s.Disconnect(t.Context(), Removal{}))
			expectNoRules(t, s, writes)
		}
	})
}

func TestTheNextCreateHasNoRulesOfOneThatWasKilledAnywhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, spec := inOwnNamespaces(t)
		spec.Create = true
		before, limited := New(s.Client.Leaf, s.Server.Leaf).OwnedBy(killed), spec
		limited.Allow = database
		for writes := int64(0); !killedAfter(t, before, limited, writes); writes++ {
			if ownedByAnother(s.CheckFree(t.Context(), spec)) {
				return // the kill came after the release of the lease
			}
			s.connects(t, spec)
			if got, status := allowedBy(t, s); got != nil || status != Connected {
				t.Errorf("killed after %d writes: the next one has %+v, %s", writes, got, status)
			}
			expectNoRules(t, s, writes)
			must(t, s.Disconnect(t.Context(), Removal{}))
		}
	})
}

func TestRulesOfAChangeKilledAnywhereAreSeenAndGoWithTheNextApply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, spec := inOwnNamespaces(t)
		limited := spec
		limited.Allow = database
		for _, change := range []struct{ from, to Spec }{{spec, limited}, {limited, spec}} {
			for writes, finished := int64(0), false; !finished; writes++ {
				s.connects(t, change.from)
				finished = killedAfter(t, s, change.to, writes)
				allow, status := allowedBy(t, s)
				rules := len(rulesAt(t, s.Client)) + len(rulesAt(t, s.Server))
				if status == Connected && allow == nil && rules > 0 {
					t.Errorf("killed after %d writes: %d objects have rules, and nothing shows them", writes, rules)
				}
				s.connects(t, spec)
				if got, status := allowedBy(t, s); got != nil || status != Connected {
					t.Errorf("killed after %d writes: it became %+v, %s", writes, got, status)
				}
				expectNoRules(t, s, writes)
			}
		}
	})
}
