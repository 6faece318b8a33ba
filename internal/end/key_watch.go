package end

import (
	"context"
	"errors"

	"github.com/liqotech/liqo/pkg/consts"
	gatewayforge "github.com/liqotech/liqo/pkg/gateway/forge"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// KeyWatch sees the public key of a new gateway when Liqo creates it. This saves a round trip: to read a key that Liqo
// has reported takes one. If the watch fails, it sees nothing, and the report has to be enough.
type KeyWatch struct{ seen chan seenKey }

// seenKey is a public key that Liqo has created for a gateway.
type seenKey struct {
	public  []byte
	gateway types.UID
}

// errSeen ends the wait for Liqo's report of a key that was seen before. Nobody gets it.
var errSeen = errors.New("the key was seen")

// WatchKey begins to watch for the key of the gateway that is about to be created in a namespace. It returns nil if
// there is a gateway already. It does not wait. The watch ends when it sees a key, at the latest with the context.
func (e *End) WatchKey(ctx context.Context, namespace string) (*KeyWatch, error) {
	found, err := e.Find(ctx)
	if err != nil || found.Gateway() != nil {
		return nil, err
	}
	w := &KeyWatch{make(chan seenKey, 1)}
	go func() {
		if key := e.seeKey(ctx, namespace); key.public != nil {
			w.seen <- key
		}
	}()
	return w, nil
}

// seeKey returns the first key that appears in the Secret that Liqo names after the gateway. The key may be of a former
// gateway, if the API server is late. The result is empty if the watch fails or ends.
func (e *End) seeKey(ctx context.Context, namespace string) seenKey {
	name := gatewayforge.GatewayResourceName(string(e.Remote.ID))
	changes, err := e.Leaf.Live.Watch(ctx, &corev1.SecretList{},
		client.InNamespace(namespace), client.MatchingFields{"metadata.name": name})
	if err != nil {
		return seenKey{}
	}
	defer changes.Stop()
	for {
		select {
		case change := <-changes.ResultChan():
			secret, ok := change.Object.(*corev1.Secret)
			if !ok {
				return seenKey{} // the API server has ended the watch
			}
			if key := keyIn(secret); change.Type != watch.Deleted && key.public != nil {
				return key
			}
		case <-ctx.Done():
			return seenKey{}
		}
	}
}

// keyIn returns the public key in a Secret, if Liqo has created it for a gateway.
func keyIn(secret *corev1.Secret) seenKey {
	for _, reference := range secret.OwnerReferences {
		if isGateway(reference) {
			return seenKey{public: secret.Data[consts.PublicKeyField], gateway: reference.UID}
		}
	}
	return seenKey{}
}

// untilSeen returns the key of a gateway if the watch, which may be nil, sees it before the context ends.
func (w *KeyWatch) untilSeen(ctx context.Context, gateway client.Object) []byte {
	if w == nil {
		return nil
	}
	select {
	case key := <-w.seen:
		if key.gateway == gateway.GetUID() {
			return key.public
		}
	case <-ctx.Done():
	}
	return nil
}
