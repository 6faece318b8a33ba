package byhand

import (
	"context"
	"fmt"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/getters"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"
	"github.com/liqotech/liqo/pkg/utils/ipam"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// side is one leaf while it is joined to another.
type side struct {
	leaf   *Leaf
	remote liqov1beta1.ClusterID

	namespace     *corev1.Namespace
	namespaceMade chan struct{}
	configuration *networkingv1beta1.Configuration

	// Watches of the objects of the remote cluster. Each has one reader, so there are two of the
	// gateway.
	endpoints, keys, connections watch.Interface
}

// prepare does everything that needs no answer from Liqo. Gateways is an empty list of the kind
// that this side will have. The watches end with ctx.
func prepare(ctx context.Context, leaf, other *Leaf, gateways client.ObjectList) (*side, error) {
	pods, err := ipam.GetPodCIDRs(ctx, other.client, liqoNamespace)
	if err != nil {
		return nil, err
	}
	external, err := ipam.GetExternalCIDR(ctx, other.client, liqoNamespace)
	if err != nil {
		return nil, err
	}
	namespace := tenantnamespace.NewManager(leaf.kube, scheme).ForgeNamespace(other.ID, nil)
	s := &side{
		leaf: leaf, remote: other.ID, namespace: namespace, namespaceMade: make(chan struct{}),
		configuration: forge.Configuration(string(other.ID), namespace.Name, other.ID, pods, external),
	}
	for _, w := range []struct {
		into *watch.Interface
		list client.ObjectList
	}{
		{&s.endpoints, gateways},
		{&s.keys, gateways},
		{&s.connections, &networkingv1beta1.ConnectionList{}},
	} {
		*w.into, err = leaf.client.Watch(ctx, w.list, client.MatchingLabels{consts.RemoteClusterID: string(other.ID)})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *side) makeNamespace(ctx context.Context) error {
	if err := s.leaf.client.Create(ctx, s.namespace); err != nil {
		return fmt.Errorf("cluster %s: %w", s.leaf.ID, err)
	}
	close(s.namespaceMade)
	return nil
}

// write creates an object as soon as its namespace exists.
func (s *side) write(ctx context.Context, object client.Object) error {
	select {
	case <-s.namespaceMade:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := s.leaf.client.Create(ctx, object); err != nil {
		return fmt.Errorf("cluster %s: %w", s.leaf.ID, err)
	}
	return nil
}

// giveKeyTo gives the other end the public key of this end's gateway, as soon as Liqo has created
// it.
func (s *side) giveKeyTo(ctx context.Context, other *side) error {
	secret, err := firstAnswer(ctx, s.keys, secretOf)
	if err != nil {
		return fmt.Errorf("cluster %s, the gateway's keys: %w", s.leaf.ID, err)
	}
	key, err := getters.ExtractKeyFromSecretRef(ctx, s.leaf.client, secret)
	if err != nil {
		return fmt.Errorf("cluster %s: %w", s.leaf.ID, err)
	}
	publicKey, err := forge.PublicKey(other.namespace.Name, nil, other.remote, key)
	if err != nil {
		return err
	}
	return other.write(ctx, publicKey)
}
