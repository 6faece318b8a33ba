package byhand

import (
	"context"
	"fmt"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
)

// Connect joins two leaves as fast as Liqo's controllers answer, and returns how long that took, until both ends said Connected. Everything that
// can be done before is done when the clock starts: the watches are open, the address ranges read and the objects forged. The leaves must
// not be joined yet.
func Connect(ctx context.Context, clientLeaf, serverLeaf *Leaf) (time.Duration, error) {
	ctx, cancel := context.WithCancel(ctx) // ends the watches
	defer cancel()
	cl, err := prepare(ctx, clientLeaf, serverLeaf, &networkingv1beta1.GatewayClientList{})
	if err != nil {
		return 0, fmt.Errorf("cluster %s: %w", clientLeaf.ID, err)
	}
	srv, err := prepare(ctx, serverLeaf, clientLeaf, &networkingv1beta1.GatewayServerList{})
	if err != nil {
		return 0, fmt.Errorf("cluster %s: %w", serverLeaf.ID, err)
	}
	dialing, err := forgeClient(cl)
	if err != nil {
		return 0, err
	}
	listening, err := forgeServer(srv)
	if err != nil {
		return 0, err
	}

	start := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	for _, on := range []*side{cl, srv} {
		group.Go(func() error { return on.makeNamespace(ctx) })
		group.Go(func() error { return on.write(ctx, on.configuration) })
		group.Go(func() error {
			if _, err := await(ctx, on.connections, connected); err != nil {
				return fmt.Errorf("cluster %s, the connection: %w", on.leaf.ID, err)
			}
			return nil
		})
	}
	group.Go(func() error { return srv.write(ctx, listening) })
	group.Go(func() error {
		endpoint, err := await(ctx, srv.endpoints, endpointOf)
		if err != nil {
			return fmt.Errorf("cluster %s, the gateway's address: %w", srv.leaf.ID, err)
		}
		dialing.Spec.Endpoint = *endpoint
		return cl.write(ctx, dialing)
	})
	group.Go(func() error { return srv.giveKeyTo(ctx, cl) })
	group.Go(func() error { return cl.giveKeyTo(ctx, srv) })
	err = group.Wait()
	return time.Since(start), err
}

func forgeClient(on *side) (*networkingv1beta1.GatewayClient, error) {
	return forge.GatewayClient(on.namespace.Name, nil, &forge.GwClientOptions{
		KubeClient: on.leaf.kube, RemoteClusterID: on.remote, MTU: forge.DefaultMTU, GatewayType: forge.DefaultGwClientType,
		TemplateName: forge.DefaultGwClientTemplateName, TemplateNamespace: liqoNamespace,
	})
}

func forgeServer(on *side) (*networkingv1beta1.GatewayServer, error) {
	return forge.GatewayServer(on.namespace.Name, nil, &forge.GwServerOptions{
		KubeClient: on.leaf.kube, RemoteClusterID: on.remote, MTU: forge.DefaultMTU, GatewayType: forge.DefaultGwServerType,
		TemplateName: forge.DefaultGwServerTemplateName, TemplateNamespace: liqoNamespace,
		Port: forge.DefaultGwServerPort, ServiceType: corev1.ServiceTypeNodePort,
	})
}
