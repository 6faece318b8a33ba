package acceptance

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/watch"
)

func TestAccACompleteShortcutStaysItsOwnersWithoutItsGateways(t *testing.T) {
	lab := borrowLab(t)
	for name, loses := range map[string]func(){
		"after liqoctl network disconnect": func() { lab.liqoctl(t, "disconnect", "rome", "milan") },
		"after both gateways were deleted": func() {
			lab.deleteFromTenant(t, "rome", &networkingv1beta1.GatewayClient{})
			lab.deleteFromTenant(t, "milan", &networkingv1beta1.GatewayServer{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			first := lab.stateIn(t, "first", joining("s", "rome", "milan", ""))
			second := lab.stateIn(t, "second", joining("s", "rome", "milan", ""))
			destroyAtLast(first, second)
			first.apply()
			loses()
			says(t, second.refused("apply", "-auto-approve"), "exists already on leaf", "in folder first, workspace default")
			if left := second.resources(); left != "" {
				t.Errorf("the refused create is in the state: %s", left)
			}
			says(t, first.again(), "0 added, 1 changed, 0 destroyed")
		})
	}
}

// serverOf returns a gateway of Milan for a cluster that does not exist.
func serverOf(more string) string {
	return bothLeaves + `
		resource "liqo_gateway_server" "turin" {
		  cluster           = "milan"
		  remote_cluster_id = "turin"
		  ` + more + `
		}`
}

func TestAccAGatewayThatStillWaitsForItsAddressIsNobodyElses(t *testing.T) {
	lab := borrowLab(t)
	t.Cleanup(func() { lab.command(t, "set", "milan", "load-balancer=true") })
	lab.command(t, "set", "milan", "load-balancer=false")
	first := lab.stateIn(t, "first", serverOf(""))
	second := lab.stateIn(t, "second", serverOf(`service_type = "NodePort"
		timeouts = { create = "20s" }`))
	destroyAtLast(first, second)

	added := lab.happens(t, "milan", &networkingv1beta1.GatewayServerList{}, watch.Added)
	waiting := first.begin("apply", "-auto-approve")
	<-added
	t.Log("While the first one waits, the second one waits for it, and fails.")
	says(t, second.refused("apply", "-auto-approve"), `nother operation on the gateway for cluster "turin" has not ended`)
	if left := second.resources(); left != "" {
		t.Errorf("the refused create is in the state: %s", left)
	}
	lab.command(t, "set", "milan", "load-balancer=true")
	if output, err := waiting.wait(); err != nil {
		t.Fatalf("the first apply: %v\n%s", err, output)
	}
	first.unchanged()
}

func TestAccAGatewayWhoseCreateFailedBelongsToTheStateThatHasIt(t *testing.T) {
	lab := borrowLab(t)
	t.Cleanup(func() { lab.command(t, "set", "milan", "load-balancer=true") })
	lab.command(t, "set", "milan", "load-balancer=false")
	first := lab.stateIn(t, "first", serverOf(`timeouts = { create = "10s" }`))
	second := lab.stateIn(t, "second", serverOf(`service_type = "NodePort"`))
	destroyAtLast(first, second)
	says(t, first.refused("apply", "-auto-approve"), "The load balancer gives no address")
	says(t, second.refused("apply", "-auto-approve"), "exists already on leaf", "in folder first, workspace default")
	if left := second.resources(); left != "" {
		t.Errorf("the refused create is in the state: %s", left)
	}
	lab.command(t, "set", "milan", "load-balancer=true")
	says(t, first.again(), "1 added, 0 changed, 1 destroyed")
}
