package shortcut

import (
	"testing"
	"testing/synctest"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/reactions"
)

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
		rome, milan := romeAndMilan(t)
		atRome, atMilan := enforcesLate(t, rome), enforcesLate(t, milan)
		s, spec := New(rome, milan).OwnedBy(me), overNodePort
		spec.Allow = database
		ended := make(chan error, 1)
		go func() { ended <- s.Connect(t.Context(), spec) }()
		keys := func() (client, server bool) {
			synctest.Wait()
			n, err := s.find(t.Context())
			must(t, err)
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
