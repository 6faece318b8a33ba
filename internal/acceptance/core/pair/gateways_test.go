package pair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// onTheLeaves checks the gateways of Rome, which dials, and of Milan, because Terraform's state may have only the
// requested values.
func onTheLeaves(
	t *testing.T,
	l *acctest.Lab,
	check func(client *networkingv1beta1.GatewayClient, server *networkingv1beta1.GatewayServer) error,
) statecheck.StateCheck {
	t.Helper()
	return acctest.StateCheck(
		func(ctx context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
			var clients networkingv1beta1.GatewayClientList
			var servers networkingv1beta1.GatewayServerList
			resp.Error = errors.Join(l.Client(t, "rome").List(ctx, &clients), l.Client(t, "milan").List(ctx, &servers))
			if resp.Error == nil && (len(clients.Items) != 1 || len(servers.Items) != 1) {
				resp.Error = fmt.Errorf("got %d GatewayClients and %d GatewayServers", len(clients.Items), len(servers.Items))
			}
			if resp.Error == nil {
				resp.Error = check(&clients.Items[0], &servers.Items[0])
			}
		},
	)
}

// dialling checks the endpoint that the client's gateway dials.
func dialling(t *testing.T, l *acctest.Lab, address string, port int32) statecheck.StateCheck {
	t.Helper()
	return onTheLeaves(t, l, func(client *networkingv1beta1.GatewayClient, _ *networkingv1beta1.GatewayServer) error {
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
	return onTheLeaves(
		t,
		l,
		func(client *networkingv1beta1.GatewayClient, server *networkingv1beta1.GatewayServer) error {
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
	return onTheLeaves(
		t,
		l,
		func(client *networkingv1beta1.GatewayClient, server *networkingv1beta1.GatewayServer) error {
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
	return onTheLeaves(
		t,
		l,
		func(client *networkingv1beta1.GatewayClient, server *networkingv1beta1.GatewayServer) error {
			for _, used := range []*corev1.ObjectReference{client.Status.SecretRef, server.Status.SecretRef} {
				if used == nil || used.Name == "my-keys" || used.Name == "other-keys" {
					return fmt.Errorf("a gateway has the keys of %v", used)
				}
			}
			return nil
		},
	)
}

// exposedBy checks the type of the Service that Liqo has created for the server's gateway.
func exposedBy(t *testing.T, l *acctest.Lab, kind corev1.ServiceType) statecheck.StateCheck {
	t.Helper()
	return acctest.StateCheck(
		func(ctx context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
			var service corev1.Service
			resp.Error = l.Client(t, "milan").Get(
				ctx,
				client.ObjectKey{Namespace: "liqo-tenant-rome", Name: "gw-rome"},
				&service,
			)
			if resp.Error == nil && service.Spec.Type != kind {
				resp.Error = fmt.Errorf("the Service is of type %s, expected %s", service.Spec.Type, kind)
			}
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
