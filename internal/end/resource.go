package end

import (
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// roles are those of the gateways that resources of these types manage.
var roles = map[owner.Resource]liqo.GatewayRole{
	owner.GatewayServerResource: liqo.ServerRole, owner.GatewayClientResource: liqo.ClientRole,
}

// ObjectOf returns the object that a resource of this type manages, or nil if there is none.
func ObjectOf(o liqo.Objects, resource owner.Resource) client.Object {
	switch {
	case resource == owner.ConfigurationResource && o.Configuration != nil:
		return o.Configuration
	case o.GatewayAs(roles[resource]) != nil:
		return o.Gateway.Object
	case resource == owner.PublicKeyResource && o.PublicKey != nil:
		return o.PublicKey
	default:
		return nil
	}
}

// IsEmpty reports whether this leaf has no object of the network that someone has created. It reads live, because
// another process may just have removed the last one.
func (e *End) IsEmpty(ctx context.Context) (bool, error) {
	for _, list := range liqo.WrittenLists() {
		remote := client.MatchingLabels{consts.RemoteClusterID: string(e.Remote.ID)}
		if err := e.Leaf.Live.List(ctx, list, remote); err != nil {
			return false, e.Leaf.Explain(err)
		}
		if meta.LenList(list) > 0 {
			return false, nil
		}
	}
	return true, e.until(ctx, "the other objects of the network to be gone", func(left liqo.Objects) bool {
		return len(left.Written()) == 0
	}, &networkingv1beta1.Configuration{}, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{},
		&networkingv1beta1.PublicKey{})
}
