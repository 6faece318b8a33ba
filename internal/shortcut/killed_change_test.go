package shortcut

import (
	"reflect"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
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
				must(t, milan.Live.Create(t.Context(), otherTemplate()))
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
