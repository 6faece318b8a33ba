package liqotest_test

import (
	"slices"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	networkingutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/utils"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/liqotest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/reactions"
)

// applied is an object after a leaf has reacted to it.
func applied[T client.Object](t *testing.T, leaf *cluster.Leaf, object T) T {
	t.Helper()
	if err := leaf.Apply(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	if err := leaf.Clients().Cached.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatal(err)
	}
	return object
}

// forMilan names an object that Rome keeps for Milan.
func forMilan() metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: "liqo-tenant-milan", Name: "milan", Labels: map[string]string{consts.RemoteClusterID: "milan"},
	}
}

func server(endpoint networkingv1beta1.Endpoint) *networkingv1beta1.GatewayServer {
	return &networkingv1beta1.GatewayServer{
		ObjectMeta: forMilan(), Spec: networkingv1beta1.GatewayServerSpec{Endpoint: endpoint},
	}
}

func TestNothingIsRemapped(t *testing.T) {
	rome := liqotest.Leaf(t, "rome")
	for _, podCIDR := range []string{"10.1.0.0/16", "10.2.0.0/16"} { // as it is made, and as it is changed
		configuration := applied(
			t, rome, forge.Configuration("milan", "liqo-tenant-milan", "milan", []string{podCIDR}, "10.70.0.0/16"),
		)
		remapped := configuration.Status.Remote
		if !networkingutils.AreConfigurationNetworkCIDRsConfigured(configuration) || remapped == nil ||
			!slices.Equal(remapped.CIDR.Pod, configuration.Spec.Remote.CIDR.Pod) {
			t.Errorf("%s is remapped to %v", podCIDR, remapped)
		}
		allocated, err := liqo.TakenNetworks(t.Context(), rome)
		var ranges []string
		for i := range allocated {
			ranges = append(ranges, allocated[i].Status.CIDR.String())
		}
		if err != nil || !slices.Equal(ranges, []string{"10.70.0.0/16", podCIDR}) {
			t.Errorf("for %s, %v is allocated (%v)", podCIDR, ranges, err)
		}
	}
}

func TestAGatewayIsReachedAsItsServiceIs(t *testing.T) {
	nodePort, address := int32(31000), "192.0.2.10"
	for name, test := range map[string]struct {
		asked   networkingv1beta1.Endpoint
		address string
		port    int32
	}{
		"a cluster IP": {
			networkingv1beta1.Endpoint{ServiceType: corev1.ServiceTypeClusterIP, Port: 51840}, reactions.Address, 51840,
		},
		"a node port": {
			networkingv1beta1.Endpoint{ServiceType: corev1.ServiceTypeNodePort, Port: 51840},
			reactions.Address, liqotest.NodePort,
		},
		"a node port that is asked for": {
			networkingv1beta1.Endpoint{ServiceType: corev1.ServiceTypeNodePort, NodePort: &nodePort}, reactions.Address,
			nodePort,
		},
		"a load balancer": {
			networkingv1beta1.Endpoint{ServiceType: corev1.ServiceTypeLoadBalancer, Port: 51840}, reactions.Address, 51840,
		},
		"an address that is asked for": {
			networkingv1beta1.Endpoint{ServiceType: corev1.ServiceTypeLoadBalancer, Port: 51840, LoadBalancerIP: &address},
			address, 51840,
		},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint := applied(t, liqotest.Leaf(t, "rome"), server(test.asked)).Status.Endpoint
			if endpoint == nil || !slices.Equal(endpoint.Addresses, []string{test.address}) || endpoint.Port != test.port ||
				*endpoint.Protocol != corev1.ProtocolUDP {
				t.Errorf("it is reached at %+v", endpoint)
			}
		})
	}
}

func TestAGatewayHasTheKeysThatWereBroughtElseItsOwn(t *testing.T) {
	rome := liqotest.Leaf(t, "rome", liqotest.KeySecret(t, "liqo-tenant-milan", "brought"))
	for expected, brought := range map[string]string{"brought": "brought", "gw-milan": ""} {
		t.Run(expected, func(t *testing.T) {
			gateway := &networkingv1beta1.GatewayClient{ObjectMeta: forMilan()}
			gateway.Spec.SecretRef.Name = brought
			keys := applied(t, rome, gateway).Status.SecretRef
			if keys == nil || keys.Name != expected {
				t.Fatalf("its keys are in %+v", keys)
			}
			var secret corev1.Secret
			key := client.ObjectKey{Namespace: keys.Namespace, Name: keys.Name}
			if err := rome.Clients().Live.Get(t.Context(), key, &secret); err != nil ||
				len(secret.Data[consts.PrivateKeyField]) != 32 || len(secret.Data[consts.PublicKeyField]) != 32 {
				t.Errorf("%s has no two keys of 32 bytes (%v)", expected, err)
			}
			if err := rome.Clients().Live.Delete(t.Context(), gateway); err != nil {
				t.Fatal(err)
			}
			err := rome.Clients().Live.Get(t.Context(), client.ObjectKeyFromObject(&secret), &secret)
			if goes := apierrors.IsNotFound(err); goes != (brought == "") {
				t.Errorf("%s goes with the gateway: %t (%v)", expected, goes, err)
			}
		})
	}
}

func TestATunnelIsUpFromTheOtherKeyToTheEndOfTheGateway(t *testing.T) {
	rome := liqotest.Leaf(t, "rome")
	gateway := applied(t, rome, server(networkingv1beta1.Endpoint{Port: 51840}))
	publicKey, err := forge.PublicKey(gateway.Namespace, nil, "milan", []byte("key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := controllerutil.SetOwnerReference(gateway, publicKey, rome.Scheme()); err != nil {
		t.Fatal(err)
	}
	applied(t, rome, publicKey)
	connections := func() []networkingv1beta1.Connection {
		var list networkingv1beta1.ConnectionList
		if err := rome.Clients().Cached.List(t.Context(), &list); err != nil {
			t.Fatal(err)
		}
		return list.Items
	}
	up := connections()
	if len(up) != 1 || up[0].Status.Value != networkingv1beta1.Connected || cluster.RemoteID(&up[0]) != "milan" {
		t.Errorf("the Connections are %+v", up)
	}
	if err := rome.Clients().Live.Delete(t.Context(), gateway); err != nil {
		t.Fatal(err)
	}
	if left := connections(); len(left) > 0 {
		t.Errorf("left are %+v", left)
	}
}
