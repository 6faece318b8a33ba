package clustertest

import (
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Ranges are a leaf's own address ranges, in CIDR notation, as Liqo's IPAM has them.
func Ranges(podCIDR, externalCIDR string) []client.Object {
	network := func(kind, cidr string) client.Object {
		return &ipamv1alpha1.Network{
			ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: kind, Labels: map[string]string{"ipam.liqo.io/network-type": kind}},
			Spec:       ipamv1alpha1.NetworkSpec{CIDR: networkingv1beta1.CIDR(cidr)},
			Status:     ipamv1alpha1.NetworkStatus{CIDR: networkingv1beta1.CIDR(cidr)},
		}
	}
	return []client.Object{network("pod-cidr", podCIDR), network("external-cidr", externalCIDR)}
}

// Templates are the templates of gateways that Liqo brings, except that the server's takes no setting.
func Templates() []client.Object {
	return []client.Object{
		&networkingv1beta1.WgGatewayServerTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: forge.DefaultGwServerTemplateName}},
		&networkingv1beta1.WgGatewayClientTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: forge.DefaultGwClientTemplateName}},
	}
}

// Configuration is what somebody told a leaf of another cluster.
func Configuration(remote string) client.Object {
	return forge.Configuration(remote, "liqo-tenant-"+remote, liqov1beta1.ClusterID(remote), []string{"10.0.0.0/16"}, "10.70.0.0/16")
}
