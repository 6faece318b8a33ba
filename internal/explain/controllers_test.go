package explain

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestLiqosControllersAreTheCauseIfTheyDoNotReact(t *testing.T) {
	ignored := []client.Object{unnoticedGateway(), clustertest.Configuration("rome"), liqoControllers(0)}
	says(t, told(t, ignored...), "Liqo's controllers do not run",
		"Liqo has not reacted to Configuration liqo-tenant-rome/rome and GatewayServer liqo-tenant-rome/rome yet.",
		"Deployment liqo/liqo-controller-manager, which runs Liqo's controllers, has 0 of 1 replicas available.",
		`Start Liqo's controllers on leaf "milan" again.`,
		"\n  kubectl -n liqo describe deployment -l app.kubernetes.io/name=controller-manager")
	ofAnotherRelease := liqoControllers(1)
	ofAnotherRelease.Name = "mesh-controller-manager"
	says(t, told(t, unnoticedGateway(), ofAnotherRelease), "Liqo does not react",
		"Deployment liqo/mesh-controller-manager, which runs Liqo's controllers, has 1 of 1 replicas available.",
		"\n  kubectl -n liqo logs -l app.kubernetes.io/name=controller-manager --tail=-1")
}

func TestLiqosControllersAreTheCauseIfAGatewayHasNothingElse(t *testing.T) {
	const nothing = "Liqo has not reacted to GatewayServer liqo-tenant-rome/rome yet."
	scaledDown := liqoControllers(0)
	scaledDown.Spec.Replicas = new(int32(0))
	for name, test := range map[string]struct {
		controllers    []client.Object
		headline, part string
	}{
		"they run": {[]client.Object{liqoControllers(1)}, "Liqo does not react", "has 1 of 1 replicas available"},
		"they are not deployed": {
			nil, "Liqo's controllers do not run", "Namespace liqo has no Deployment with Liqo's controllers.",
		},
		"they are scaled down": {[]client.Object{scaledDown}, "Liqo's controllers do not run", "is scaled to 0 replicas."},
	} {
		t.Run(name, func(t *testing.T) {
			says(t, told(t, append(test.controllers, exposedGateway())...), test.headline, nothing, test.part)
		})
	}
}

func TestAnIgnoredConfigurationDoesNotHideTheCauseAtTheGateway(t *testing.T) {
	err := told(t, clustertest.Configuration("rome"), liqoControllers(1), exposedGateway(),
		gatewayService(corev1.ServiceTypeNodePort), stoppedDeployment("no"))
	says(t, err, "Liqo does not react", "Liqo has not reacted to Configuration liqo-tenant-rome/rome yet.",
		`In addition, the gateway's pod is refused on leaf "milan".`)
	lacks(t, err, "tunnel") // a consequence
}

func TestTheErrorNamesAnIgnoredGatewayClient(t *testing.T) {
	gateway := diallingGateway()
	gateway.Status.ClientRef = nil
	says(t, told(t, gateway, liqoControllers(1)), "Liqo does not react",
		"Liqo has not reacted to GatewayClient liqo-tenant-milan/milan yet.")
}

func TestLiqoBefore12HasReactedToAConfigurationWithItsLabel(t *testing.T) {
	configuration := clustertest.Configuration("rome")
	configuration.Labels["configuration.liqo.io/configured"] = "true"
	err := told(t, configuration, unnoticedGateway(), liqoControllers(1))
	says(t, err, "Liqo does not react", "Liqo has not reacted to GatewayServer liqo-tenant-rome/rome yet.")
}
