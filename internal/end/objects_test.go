package end

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestTheOwnersObjectTakesPrecedenceOrElseTheFirstByName(t *testing.T) {
	wireGuard := func(name string, self owner.Owner) client.Object {
		configuration := clustertest.Configuration("rome")
		configuration.Name = name
		if self.Token != "" {
			self.Mark(configuration)
		}
		return configuration
	}
	for name, test := range map[string]struct {
		objects  []client.Object
		expected string
	}{
		"the owner's":       {[]client.Object{wireGuard("a", owner.Owner{}), wireGuard("b", me)}, "b"},
		"the first by name": {[]client.Object{wireGuard("b", owner.Owner{}), wireGuard("a", somebody)}, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			milan := milansEnd(t, test.objects...)
			milan.Owner = me
			objects, err := milan.Find(t.Context())
			if err != nil || objects.Configuration.Name != test.expected || len(objects.Extra) != 1 {
				t.Errorf("%v and %d more (%v)", objects.Configuration.Name, len(objects.Extra), err)
			}
		})
	}
}

func TestEachNetworkOfALeafIsReadSeparately(t *testing.T) {
	leaf := clustertest.Leaf(t, "milan", clustertest.Configuration("rome"), clustertest.GatewayServer("turin", 51840))
	networks, err := ObserveNetworks(t.Context(), leaf, owner.Owner{})
	if err != nil || len(networks) != 2 || networks["rome"].Configuration == nil ||
		networks["turin"].Gateway == nil || networks["rome"].Gateway != nil {
		t.Errorf("got %v (%v)", networks, err)
	}
}

func TestObjectsOfOthersIncludeAllButTheConnection(t *testing.T) {
	milan := milansEnd(t, clustertest.ServerEnd("rome",
		networkingv1beta1.ConnectionStatus{Value: networkingv1beta1.Connected})...)
	objects, err := milan.Find(t.Context())
	if err != nil || len(objects.All()) != 4 || len(objects.Made()) != 3 ||
		len(others(objects, owner.Owner{Token: "me"})) != 3 ||
		len(owned(objects, owner.Owner{Token: "me"})) != 0 {
		t.Errorf("%d objects, %d made (%v)", len(objects.All()), len(objects.Made()), err)
	}
}
