package shortcut

import (
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// inTenant is the name of what Liqo makes in Milan for the gateway that Rome dials.
func inTenant(uid string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: "gw-rome", Namespace: "liqo-tenant-rome", UID: types.UID(uid), Labels: map[string]string{
		"networking.liqo.io/gateway-name": "rome",
	}}
}

// exposedGateway is Milan's gateway for Rome, which Liqo has reacted to.
func exposedGateway() *networkingv1beta1.GatewayServer {
	return wireGuard(ours(serverGateway("rome", 51840)))
}

func gatewayDeployment() *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: inTenant("deployment")}
}

func gatewayService() *corev1.Service {
	return &corev1.Service{ObjectMeta: inTenant("service"), Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeNodePort}}
}
