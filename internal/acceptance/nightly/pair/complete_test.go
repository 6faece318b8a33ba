package pair

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccACompleteShortcutStaysItsOwnersWithoutItsGateways(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	first := lab.StateIn(t, "first", acctest.Joining("s", "rome", "milan", ""))
	second := lab.StateIn(t, "second", acctest.Joining("s", "rome", "milan", ""))
	acctest.DestroyAtLast(first, second)
	first.Apply()
	for name, loses := range map[string]func(){
		"after liqoctl network disconnect": func() { lab.Liqoctl(t, "rome", "milan", "network", "disconnect") },
		"after both gateways were deleted": func() {
			lab.DeleteFromTenant(t, "rome", &networkingv1beta1.GatewayClient{})
			lab.DeleteFromTenant(t, "milan", &networkingv1beta1.GatewayServer{})
		},
	} {
		t.Log(name)
		loses()
		acctest.Says(t, second.Refused("apply", "-auto-approve"), "exists already on leaf",
			"in folder first, workspace default")
		if left := second.Resources(); left != "" {
			t.Errorf("the refused create is in the state: %s", left)
		}
		acctest.Says(t, first.Again(), "0 added, 1 changed, 0 destroyed")
	}
}

func TestAccAGatewayThatStillWaitsForItsAddressIsNobodyElses(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	t.Cleanup(func() { lab.Command(t, "set", "milan", "load-balancer=true") })
	lab.Command(t, "set", "milan", "load-balancer=false")
	first := lab.StateIn(t, "first", acctest.ServerOf(""))
	second := lab.StateIn(t, "second", acctest.ServerOf(`service_type = "NodePort"
		timeouts = { create = "20s" }`))
	acctest.DestroyAtLast(first, second)

	added := lab.Happens(t, "milan", &networkingv1beta1.GatewayServerList{}, watch.Added)
	waiting := first.Begin("apply", "-auto-approve")
	<-added
	t.Log("While the first one waits, the second one waits for it, and fails.")
	acctest.Says(t, second.Refused("apply", "-auto-approve"),
		`nother operation on the gateway for cluster "turin" has not ended`)
	if left := second.Resources(); left != "" {
		t.Errorf("the refused create is in the state: %s", left)
	}
	lab.Command(t, "set", "milan", "load-balancer=true")
	if output, err := waiting.Wait(); err != nil {
		t.Fatalf("the first apply: %v\n%s", err, output)
	}
	first.Unchanged()
}
