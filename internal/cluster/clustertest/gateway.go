package clustertest

import (
	"crypto/ecdh"
	"crypto/rand"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// What is in this file is what there is for a gateway, be it of Liqo's or of the user's.

// WireGuard makes it a gateway that Liqo has reacted to, with the UID "gateway".
func WireGuard(gateway *networkingv1beta1.GatewayServer) *networkingv1beta1.GatewayServer {
	gateway.UID = "gateway"
	gateway.Status.ServerRef = &corev1.ObjectReference{
		APIVersion: networkingv1beta1.GroupVersion.String(), Kind: networkingv1beta1.WgGatewayServerKind,
		Namespace: gateway.Namespace, Name: gateway.Name,
	}
	return gateway
}

// WithoutAddress is the gateway while its status has no address, as Liqo writes it for a node that is not ready.
func WithoutAddress(gateway *networkingv1beta1.GatewayServer) *networkingv1beta1.GatewayServer {
	gateway.Status.Endpoint.Addresses = []string{""}
	return gateway
}

// WithServerKeys makes it a gateway that Liqo has made a Secret for.
func WithServerKeys(gateway *networkingv1beta1.GatewayServer) *networkingv1beta1.GatewayServer {
	gateway.Status.SecretRef = &corev1.ObjectReference{Namespace: gateway.Namespace, Name: "gw-" + gateway.Name}
	return gateway
}

// WithClientKeys is the same of a gateway that dials.
func WithClientKeys(gateway *networkingv1beta1.GatewayClient) *networkingv1beta1.GatewayClient {
	gateway.Status.SecretRef = &corev1.ObjectReference{Namespace: gateway.Namespace, Name: "gw-" + gateway.Name}
	return gateway
}

// GatewayDeployment and GatewayService are what Liqo makes for the gateway for another cluster.
func GatewayDeployment(remote string) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: ofGateway(remote)}
}

// GatewayService is described with [GatewayDeployment].
func GatewayService(remote string) *corev1.Service {
	return &corev1.Service{ObjectMeta: ofGateway(remote), Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeNodePort}}
}

// GatewayPod is a pod of the gateway for another cluster, on a node.
func GatewayPod(remote, name, node string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: ofGateway(remote), Spec: corev1.PodSpec{NodeName: node}}
	pod.Name = name
	return pod
}

func ofGateway(remote string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: "gw-" + remote, Namespace: "liqo-tenant-" + remote, Labels: map[string]string{consts.GatewayNameLabel: remote},
	}
}

// KeySecret is a Secret of the user's own in the tenant namespace for another cluster, after Liqo has used it. Without
// keys, it has nothing in it.
func KeySecret(remote string, keys map[string][]byte) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "my-keys", Namespace: "liqo-tenant-" + remote, Labels: map[string]string{
			"team": "network", consts.RemoteClusterID: remote, consts.GatewayResourceLabel: consts.GatewayResourceLabelValue,
		}},
		Data: keys,
	}
}

// NewKeys are the two keys of a gateway, as a Secret has them.
func NewKeys(tb testing.TB) map[string][]byte {
	tb.Helper()
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	return map[string][]byte{consts.PrivateKeyField: private.Bytes(), consts.PublicKeyField: private.PublicKey().Bytes()}
}

// DeleteGatewayServers deletes all gateway servers of a leaf.
func DeleteGatewayServers(t *testing.T, leaf *cluster.Leaf) {
	t.Helper()
	var servers networkingv1beta1.GatewayServerList
	if err := leaf.Clients().Live.List(t.Context(), &servers); err != nil {
		t.Fatal(err)
	}
	for i := range servers.Items {
		if err := leaf.Clients().Live.Delete(t.Context(), &servers.Items[i]); err != nil {
			t.Fatal(err)
		}
	}
}
