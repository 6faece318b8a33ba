package shortcut

import (
	"context"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/utils/getters"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// objects are what one leaf holds of its network with one other cluster, in any namespace. What does not exist is nil.
type objects struct {
	configuration *networkingv1beta1.Configuration
	server        *networkingv1beta1.GatewayServer
	client        *networkingv1beta1.GatewayClient
	publicKey     *networkingv1beta1.PublicKey
	connection    *networkingv1beta1.Connection
}

// find reads the leaf's cache. More than one object of a kind is an error: Liqo itself can't cope with that.
func (s *side) find(ctx context.Context) (objects, error) {
	var (
		found objects
		errs  [5]error
	)
	cache, remote := s.leaf.Cached, s.remote.ID
	found.configuration, errs[0] = getters.GetConfigurationByClusterID(ctx, cache, remote, corev1.NamespaceAll)
	found.server, errs[1] = getters.GetGatewayServerByClusterID(ctx, cache, remote, corev1.NamespaceAll)
	found.client, errs[2] = getters.GetGatewayClientByClusterID(ctx, cache, remote, corev1.NamespaceAll)
	found.publicKey, errs[3] = getters.GetPublicKeyByClusterID(ctx, cache, remote, corev1.NamespaceAll)
	found.connection, errs[4] = getters.GetConnectionByClusterID(ctx, cache, string(remote))
	for _, err := range errs {
		if err != nil && !apierrors.IsNotFound(err) {
			return objects{}, s.leaf.Explain(err)
		}
	}
	return found, nil
}

// all lists the objects that exist, in the order in which they are made.
func (o objects) all() []client.Object {
	var all []client.Object
	if o.configuration != nil {
		all = append(all, o.configuration)
	}
	if o.server != nil {
		all = append(all, o.server)
	}
	if o.client != nil {
		all = append(all, o.client)
	}
	if o.publicKey != nil {
		all = append(all, o.publicKey)
	}
	if o.connection != nil {
		all = append(all, o.connection)
	}
	return all
}

// made lists the objects that somebody wrote, as against the Connection, which the gateway itself makes.
func (o objects) made() []client.Object {
	o.connection = nil
	return o.all()
}

// namespace is where the objects are; empty if there is none.
func (o objects) namespace() string {
	for _, object := range o.all() {
		return object.GetNamespace()
	}
	return ""
}

// connected is what this end says of the tunnel through a gateway. A Connection that an earlier gateway has left says nothing of this one.
func (o objects) connected(gateway client.Object) networkingv1beta1.ConnectionStatusValue {
	if o.connection == nil || !ownedBy(o.connection, gateway) {
		return ""
	}
	return o.connection.Status.Value
}

func ownedBy(object, owner client.Object) bool {
	for _, reference := range object.GetOwnerReferences() {
		if reference.UID == owner.GetUID() {
			return true
		}
	}
	return false
}
