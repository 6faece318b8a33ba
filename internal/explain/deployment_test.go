package explain

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

func TestTheErrorNamesARefusedPod(t *testing.T) {
	refused := appsv1.DeploymentCondition{
		Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue,
		Message: "pods \"gw-rome\" is forbidden: exceeded quota",
	}
	says(t, told(t, exposedGateway(), gatewayService(corev1.ServiceTypeNodePort), gatewayDeployment(refused)),
		"the gateway's pod is refused",
		"Deployment liqo-tenant-rome/gw-rome can't create its pod: pods \"gw-rome\" is forbidden: exceeded quota.",
		"The leaf's policies, quotas and Pod Security labels must allow this in namespace liqo-tenant-rome.")
}

func TestTheErrorNamesADeploymentWithoutPods(t *testing.T) {
	event := warning("deployment", "Stuck", "nobody is there", time.Minute)
	says(t, told(t, exposedGateway(), gatewayDeployment(), gatewayService(corev1.ServiceTypeNodePort), event),
		"the gateway has no pod",
		"Deployment liqo-tenant-rome/gw-rome has no pod, and its status does not say why.\nEvent Stuck: nobody is "+
			"there.", "kube-controller-manager")
}

func TestTheErrorHasAllCausesOfAGateway(t *testing.T) {
	says(t, told(t, exposedGateway(), gatewayDeployment(), gatewayService(corev1.ServiceTypeLoadBalancer)),
		"the gateway has no pod",
		`In addition, the load balancer gives no address on leaf "milan".`)
}
