package shortcut

import (
	"errors"
	"net/url"
	"reflect"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/liqotest"
)

// firstWriteFails lets the first write of each kind to each object of a leaf fail.
func firstWriteFails(leaf *cluster.Leaf, failure error) {
	var failed sync.Map
	clustertest.On(leaf, "apply patch delete", func(call clustertest.Call[client.Object]) error {
		if _, again := failed.LoadOrStore(call.Verb+leaf.Describe(call.Object), true); !again {
			return failure
		}
		return call.Send()
	})
}

func TestAShortcutIsCreatedAndRemovedAlthoughEveryFirstWriteFails(t *testing.T) {
	for name, failure := range map[string]error{
		"with a conflict": apierrors.NewConflict(schema.GroupResource{Resource: "objects"}, "one",
			errors.New("the object has been modified")),
		"because nothing answers": &url.Error{
			Op: "Patch", URL: "https://leaf.example:6443/apis", Err: syscall.ECONNREFUSED,
		},
		"because of too many requests": apierrors.NewTooManyRequests("later", 1),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, spec := toConnect(t)
				firstWriteFails(s.Client.Leaf, failure)
				firstWriteFails(s.Server.Leaf, failure)
				s.connects(t, spec)
				if state := s.seen(t); !state.Joined {
					t.Errorf("it is %+v", state)
				}
				must(t, s.Disconnect(t.Context(), Removal{}))
				if state := s.seen(t); state.Exists || state.Joined {
					t.Errorf("there is left %+v", state)
				}
				if lease, err := s.first().Leaf.Leased(t.Context(), leaseName(s.first())); lease != nil || err != nil {
					t.Errorf("a lease is left: %v (%v)", lease, err)
				}
			})
		})
	}
}

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
				s, former := toConnect(t)
				useNextLiqo(t, s.Client.Leaf)
				useNextLiqo(t, s.Server.Leaf)
				must(t, s.Server.Leaf.Clients().Live.Create(t.Context(), otherTemplate()))
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
	state := s.seen(t)
	if state.Status != Connected {
		t.Fatalf("it is %+v", state)
	}
	spec = spec.shareSettings()
	listens := spec.Server.Observed(*state.ServerGateway, nil, "liqo")
	if spec.Server.NodePort == 0 {
		listens.NodePort = 0
	}
	dials := spec.Client.Observed(*state.ClientGateway, state.ServerEndpoint, "liqo")
	if spec.KeyRotation == "" { // keys stay as they are
		listens.KeyRotation, dials.KeyRotation = "", ""
	}
	if !reflect.DeepEqual(listens, spec.Server) || !reflect.DeepEqual(dials, spec.Client) {
		t.Errorf("the gateways are %+v and %+v, and not %+v and %+v", listens, dials, spec.Server, spec.Client)
	}
	if !s.found(t).complete(me.Token) {
		t.Error("it is not complete")
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

// expectNoRules fails if a leaf has rules, or if a shortcut shows some or lacks what it shall have.
func expectNoRules(t *testing.T, s *Shortcut, writes int64) {
	t.Helper()
	if state := s.seen(t); state.Allow != nil || state.Exists && state.Status != Connected {
		t.Errorf("killed after %d writes: it became %+v, %s", writes, state.Allow, state.Status)
	}
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
				state, rules := s.seen(t), len(rulesAt(t, s.Client))+len(rulesAt(t, s.Server))
				if state.Status == Connected && state.Allow == nil && rules > 0 {
					t.Errorf("killed after %d writes: %d objects have rules, and nothing shows them", writes, rules)
				}
				s.connects(t, spec)
				expectNoRules(t, s, writes)
			}
		}
	})
}
