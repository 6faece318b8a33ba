package explain

import (
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestLiqosControllersAreTheReasonWhereTheyReactToNothing(t *testing.T) {
	configuration := &networkingv1beta1.Configuration{ObjectMeta: written("rome", "configuration")}
	says(t, told(t, unnoticedGateway(), configuration, liqoControllers(0)), "Liqo's controllers do not run",
		"Liqo has done nothing with Configuration liqo-tenant-rome/rome and GatewayServer liqo-tenant-rome/rome yet.",
		"Deployment liqo/liqo-controller-manager, which has Liqo's controllers, has 0 of 1 pods available.",
		`Let Liqo's controllers run again on leaf "milan".`, "\n  kubectl -n liqo describe deployment liqo-controller-manager")
	says(t, told(t, unnoticedGateway(), liqoControllers(1)),
		"Liqo does not react", "has 1 of 1 pods available", "\n  kubectl -n liqo logs deployment/liqo-controller-manager")
}

func TestLiqosControllersAreTheReasonWhereNothingOfTheGatewayIsThere(t *testing.T) {
	const nothing = "Liqo has done nothing with GatewayServer liqo-tenant-rome/rome yet."
	scaledDown := liqoControllers(0)
	scaledDown.Spec.Replicas = new(int32(0))
	for name, test := range map[string]struct {
		controllers []client.Object
		headline    string
		part        string
	}{
		"they run":              {[]client.Object{liqoControllers(1)}, "Liqo does not react", "has 1 of 1 pods available"},
		"they are not deployed": {nil, "Liqo's controllers do not run", "which has Liqo's controllers, does not exist."},
		"they are scaled down":  {[]client.Object{scaledDown}, "Liqo's controllers do not run", "is scaled to no pods."},
	} {
		t.Run(name, func(t *testing.T) {
			says(t, told(t, append(test.controllers, exposedGateway())...), test.headline, nothing, test.part)
		})
	}
}

func TestAConfigurationThatIsIgnoredDoesNotHideWhatIsWrongWithTheGateway(t *testing.T) {
	err := told(t, &networkingv1beta1.Configuration{ObjectMeta: written("rome", "configuration")}, liqoControllers(1),
		exposedGateway(), gatewayService(corev1.ServiceTypeNodePort), gatewayDeployment(appsv1.DeploymentCondition{
			Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Message: "no",
		}))
	says(t, err, "Liqo does not react", "Liqo has done nothing with Configuration liqo-tenant-rome/rome yet.",
		`Besides, the gateway's pod is refused on leaf "milan".`)
	if strings.Contains(Detail(err), "tunnel") {
		t.Errorf("a consequence is told beside its cause:\n%s", Detail(err))
	}
}

func TestAGatewayClientThatIsIgnoredIsTold(t *testing.T) {
	gateway := diallingGateway()
	gateway.Status.ClientRef = nil
	says(t, told(t, gateway, liqoControllers(1)), "Liqo does not react", "Liqo has done nothing with GatewayClient liqo-tenant-milan/milan yet.")
}
