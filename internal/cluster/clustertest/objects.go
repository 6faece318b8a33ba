package clustertest

import (
	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Ranges returns a leaf's own address ranges, in CIDR notation, as Liqo's IPAM has them.
func Ranges(podCIDR, externalCIDR string) []client.Object {
	return []client.Object{Range("pod-cidr", podCIDR), Range("external-cidr", externalCIDR)}
}

// Range returns one of a leaf's own address ranges. kind is Liqo's name for its purpose, such as pod-cidr.
func Range(kind, cidr string) client.Object {
	return &ipamv1alpha1.Network{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "liqo", Name: kind, Labels: map[string]string{consts.NetworkTypeLabelKey: kind},
		},
		Spec:   ipamv1alpha1.NetworkSpec{CIDR: networkingv1beta1.CIDR(cidr)},
		Status: ipamv1alpha1.NetworkStatus{CIDR: networkingv1beta1.CIDR(cidr)},
	}
}

// Templates returns the gateway templates that Liqo installs, except that the server's template has no settings.
func Templates() []client.Object {
	named := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "liqo", Name: name} }
	return []client.Object{
		&networkingv1beta1.WgGatewayServerTemplate{ObjectMeta: named(forge.DefaultGwServerTemplateName)},
		&networkingv1beta1.WgGatewayClientTemplate{ObjectMeta: named(forge.DefaultGwClientTemplateName)},
	}
}

// Namespace is a namespace of the user's own.
func Namespace(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// Controllers is the Deployment of Liqo's controllers, whose container has this image and these arguments.
func Controllers(image string, args ...string) *appsv1.Deployment {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: "liqo", Name: "liqo-controller-manager", Labels: map[string]string{
			"app.kubernetes.io/name": "controller-manager", "app.kubernetes.io/component": "controller-manager",
		},
	}}
	deployment.Spec.Template.Spec.Containers = []corev1.Container{{Name: "controller-manager", Image: image, Args: args}}
	return deployment
}
