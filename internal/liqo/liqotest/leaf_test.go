package liqotest_test

import (
	"slices"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/liqotest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/reactions"
)

// This file tests only what the tests of shortcut, end and provider would not notice: with anything else, they fail.

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

func TestAGatewayIsReachedAsItsServiceIs(t *testing.T) {
	address := "192.0.2.10"
	for name, test := range map[string]struct {
		asked   networkingv1beta1.Endpoint
		address string
		port    int32
	}{
		"a cluster IP":    {networkingv1beta1.Endpoint{ServiceType: "ClusterIP"}, reactions.Address, 51840},
		"a node port":     {networkingv1beta1.Endpoint{ServiceType: "NodePort"}, reactions.Address, liqotest.NodePort},
		"a load balancer": {networkingv1beta1.Endpoint{ServiceType: "LoadBalancer"}, reactions.Address, 51840},
		"an address that is asked for": {
			networkingv1beta1.Endpoint{ServiceType: "LoadBalancer", LoadBalancerIP: &address}, address, 51840,
		},
	} {
		t.Run(name, func(t *testing.T) {
			gateway := clustertest.GatewayServer("milan", 51840)
			test.asked.Port = gateway.Spec.Endpoint.Port
			gateway.Spec.Endpoint = test.asked
			endpoint := applied(t, liqotest.Leaf(t, "rome"), gateway).Status.Endpoint
			if !slices.Equal(endpoint.Addresses, []string{test.address}) || endpoint.Port != test.port {
				t.Errorf("it is reached at %+v", endpoint)
			}
		})
	}
}

func TestKeysThatWereBroughtStayAndOthersGoWithTheirGateway(t *testing.T) {
	rome := liqotest.Leaf(t, "rome", liqotest.KeySecret(t, "liqo-tenant-milan", "brought"))
	for name, brought := range map[string]string{"brought": "brought", "gw-milan": ""} {
		t.Run(name, func(t *testing.T) {
			gateway := clustertest.GatewayClient("milan")
			gateway.Spec.SecretRef.Name = brought
			applied(t, rome, gateway)
			read := func() error {
				key := client.ObjectKey{Namespace: gateway.Namespace, Name: name}
				return rome.Clients().Live.Get(t.Context(), key, &corev1.Secret{})
			}
			if err := read(); err != nil {
				t.Fatal(err)
			}
			if err := rome.Clients().Live.Delete(t.Context(), gateway); err != nil {
				t.Fatal(err)
			}
			if err := read(); apierrors.IsNotFound(err) != (brought == "") {
				t.Errorf("after the gateway: %v", err)
			}
		})
	}
}
