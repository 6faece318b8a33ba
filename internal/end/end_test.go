package end

import (
	"reflect"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/liqotest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/reactions"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestAnEndIsMadeAndTakenAwayWithNothingOfTheOtherLeafButValues(t *testing.T) {
	milan := endAt(liqotest.Leaf(t, "milan", ranges()...), "rome")
	milan.Owner = me
	ctx := t.Context()

	namespace, err := milan.EnsureNamespace(ctx, "")
	must(t, err)
	must(t, milan.EnsureConfiguration(ctx, namespace, romesNetworks))
	must(t, milan.WaitForRemapping(ctx, true))
	gateway, err := milan.EnsureGateway(ctx, namespace, liqo.Endpoint{}, overNodePort())
	must(t, err)
	endpoint, err := milan.WaitForEndpoint(ctx, gateway)
	must(t, err)
	if !reflect.DeepEqual(endpoint, liqo.Endpoint{
		Addresses: []string{reactions.Address}, Port: liqotest.NodePort, Protocol: "UDP",
	}) {
		t.Errorf("the endpoint is %+v", endpoint)
	}
	if key, err := milan.WaitForKey(ctx, EnsuredGateway{}); err != nil || len(key) != 32 {
		t.Errorf("the key has %d bytes (%v)", len(key), err)
	}
	_, err = milan.EnsurePublicKey(ctx, make([]byte, 32), gateway)
	must(t, err)
	must(t, milan.WaitForConnection(ctx))
	objects := found(t, milan)
	if len(objects.Extra) > 0 || !KeyInPlace(objects) || objects.Tunnel() != networkingv1beta1.Connected {
		t.Errorf("got %+v", objects)
	}

	must(t, milan.RemoveGateways(ctx))
	must(t, milan.RemoveConfigurations(ctx))
	gone, err := milan.RemoveForeignCluster(ctx, nil, nil)
	must(t, err)
	removable, err := milan.TenantNamespace(ctx)
	must(t, err)
	leftovers, err := milan.RemoveNamespace(ctx, removable, nil, gone, liqo.KeySecret{})
	must(t, err)
	if leftovers.Kept != "" {
		t.Errorf("something stays: %s", leftovers.Kept)
	}
	must(t, milan.UntilGone(ctx, leftovers))
	if left, err := milan.Find(ctx); err != nil || len(left.All()) > 0 {
		t.Errorf("left are %v (%v)", left.All(), err)
	}
	var namespaces corev1.NamespaceList
	if err := milan.Leaf.Clients().Live.List(ctx, &namespaces); err != nil || len(namespaces.Items) > 0 {
		t.Errorf("left are %d namespaces (%v)", len(namespaces.Items), err)
	}
}

func TestOnlyTheSubjectOfAResourceOfOneEndIsAlone(t *testing.T) {
	for _, resource := range []owner.Resource{"", owner.GatewayServerResource} {
		milan := milansEnd(t)
		milan.Owner.Resource = resource
		if alone := milan.Subject().Alone; alone != (resource != "") {
			t.Errorf("of %q, the subject is alone: %t", resource, alone)
		}
	}
}
