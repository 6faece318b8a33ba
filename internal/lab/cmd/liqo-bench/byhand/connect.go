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

// Pair is two leaves that Connect joins.
type Pair struct {
	Client, Server *Leaf
}

// Connect joins pairs of leaves, in parallel and as fast as Liqo's controllers answer. It returns
// the time until both ends of each pair were Connected. It prepares as much as possible before the
// clock starts: it opens the watches, reads the address ranges and prepares the objects. The leaves
// of a pair must not be joined yet.
func Connect(ctx context.Context, pairs ...Pair) (time.Duration, error) {
	ctx, cancel := context.WithCancel(ctx) // ends the watches
	defer cancel()
	tunnels := make([]*tunnel, len(pairs))
	for i, pair := range pairs {
		var err error
		if tunnels[i], err = prepareTunnel(ctx, pair); err != nil {
			return 0, err
		}
	}

	start := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	for _, t := range tunnels {
		group.Go(func() error { return t.open(ctx) })
	}
	err := group.Wait()
	return time.Since(start), err
}

// tunnel is what one pair needs.
type tunnel struct {
	cl, srv   *side
	dialing   *networkingv1beta1.GatewayClient
	listening *networkingv1beta1.GatewayServer
}

func prepareTunnel(ctx context.Context, pair Pair) (*tunnel, error) {
	var (
		t   tunnel
		err error
	)
	if t.cl, err = prepare(ctx, pair.Client, pair.Server, &networkingv1beta1.GatewayClientList{}); err != nil {
		return nil, fmt.Errorf("cluster %s: %w", pair.Client.ID, err)
	}
	if t.srv, err = prepare(ctx, pair.Server, pair.Client, &networkingv1beta1.GatewayServerList{}); err != nil {
		return nil, fmt.Errorf("cluster %s: %w", pair.Server.ID, err)
	}
	if t.dialing, err = forgeClient(t.cl); err != nil {
		return nil, err
	}
	t.listening, err = forgeServer(t.srv)
	return &t, err
}

// open writes each object as soon as everything that it needs exists, and returns when the tunnel
// is up.
func (t *tunnel) open(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, on := range []*side{t.cl, t.srv} {
		group.Go(func() error { return on.makeNamespace(ctx) })
		group.Go(func() error { return on.write(ctx, on.configuration) })
		group.Go(func() error {
			if _, err := firstAnswer(ctx, on.connections, connected); err != nil {
				return fmt.Errorf("cluster %s, the connection: %w", on.leaf.ID, err)
			}
			return nil
		})
	}
	group.Go(func() error { return t.srv.write(ctx, t.listening) })
	group.Go(func() error {
		endpoint, err := firstAnswer(ctx, t.srv.endpoints, endpointOf)
		if err != nil {
			return fmt.Errorf("cluster %s, the gateway's address: %w", t.srv.leaf.ID, err)
		}
		t.dialing.Spec.Endpoint = *endpoint
		return t.cl.write(ctx, t.dialing)
	})
	group.Go(func() error { return t.srv.giveKeyTo(ctx, t.cl) })
	group.Go(func() error { return t.cl.giveKeyTo(ctx, t.srv) })
	return group.Wait()
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
