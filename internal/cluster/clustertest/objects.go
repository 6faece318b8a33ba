package clustertest

import (
	"maps"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Ranges are a leaf's own address ranges as Liqo's IPAM has them, in CIDR notation, keyed by Liqo's name for what they are for, such as pod-cidr.
func Ranges(cidrs map[string]string) []client.Object {
	var all []client.Object
	for kind, cidr := range cidrs {
		all = append(all, &ipamv1alpha1.Network{
			ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: kind, Labels: map[string]string{consts.NetworkTypeLabelKey: kind}},
			Spec:       ipamv1alpha1.NetworkSpec{CIDR: networkingv1beta1.CIDR(cidr)},
			Status:     ipamv1alpha1.NetworkStatus{CIDR: networkingv1beta1.CIDR(cidr)},
		})
	}
	return all
}

// ServerTemplate is a template of WireGuard gateways that are dialled.
func ServerTemplate(name string) client.Object {
	return &networkingv1beta1.WgGatewayServerTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: name}}
}

// GatewayClient is a gateway that dials the one of the cluster with that ID.
func GatewayClient(remoteID string) client.Object {
	return &networkingv1beta1.GatewayClient{ObjectMeta: ofRemote(remoteID)}
}

// Configuration is what a leaf is told of the cluster with that ID, with these labels and annotations besides its own.
func Configuration(remoteID string, labels, annotations map[string]string) client.Object {
	meta := ofRemote(remoteID)
	maps.Copy(meta.Labels, labels)
	meta.Annotations = annotations
	return &networkingv1beta1.Configuration{ObjectMeta: meta}
}

func ofRemote(id string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "liqo-tenant-" + id, Name: id, Labels: map[string]string{consts.RemoteClusterID: id}}
}
