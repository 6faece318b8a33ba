package pair

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// dialling checks the endpoint that the client's gateway dials.
func dialling(t *testing.T, l *acctest.Lab, address string, port int32) statecheck.StateCheck {
	t.Helper()
	return l.Gateways(t, func(client *networkingv1beta1.GatewayClient, _ *networkingv1beta1.GatewayServer) error {
		if endpoint := client.Spec.Endpoint; !slices.Equal(endpoint.Addresses, []string{address}) || endpoint.Port != port {
			return fmt.Errorf(
				"the client dials %v, port %d, expected %s, port %d", endpoint.Addresses, endpoint.Port, address, port,
			)
		}
		return nil
	})
}

// madeFrom checks the names of the templates of both gateways.
func madeFrom(t *testing.T, l *acctest.Lab, clientTemplate, serverTemplate string) statecheck.StateCheck {
	t.Helper()
	return l.Gateways(
		t, func(client *networkingv1beta1.GatewayClient, server *networkingv1beta1.GatewayServer) error {
			if one, other := client.Spec.ClientTemplateRef.Name, server.Spec.ServerTemplateRef.Name; one != clientTemplate ||
				other != serverTemplate {
				return fmt.Errorf(
					"the gateways are made from %q and %q, expected %q and %q", one, other, clientTemplate, serverTemplate,
				)
			}
			return nil
		},
	)
}

// inNamespaces checks the namespaces of both gateways.
func inNamespaces(t *testing.T, l *acctest.Lab, clientNamespace, serverNamespace string) statecheck.StateCheck {
	t.Helper()
	return l.Gateways(
		t, func(client *networkingv1beta1.GatewayClient, server *networkingv1beta1.GatewayServer) error {
			if client.Namespace != clientNamespace || server.Namespace != serverNamespace {
				return fmt.Errorf(
					"the gateways are in %s and %s, expected %s and %s", client.Namespace, server.Namespace, clientNamespace,
					serverNamespace)
			}
			return nil
		},
	)
}

// withLiqosKeys checks that Liqo has created the keys of both gateways.
func withLiqosKeys(t *testing.T, l *acctest.Lab) statecheck.StateCheck {
	t.Helper()
	return l.Gateways(
		t, func(client *networkingv1beta1.GatewayClient, server *networkingv1beta1.GatewayServer) error {
			for _, used := range []*corev1.ObjectReference{client.Status.SecretRef, server.Status.SecretRef} {
				if used == nil || used.Name == "my-keys" || used.Name == "other-keys" {
					return fmt.Errorf("a gateway has the keys of %v", used)
				}
			}
			return nil
		},
	)
}

func nodePort() knownvalue.Check {
	return knownvalue.Int32Func(func(port int32) error {
		if port < 30000 || port > 32767 {
			return fmt.Errorf("%d is not a node port", port)
		}
		return nil
	})
}
