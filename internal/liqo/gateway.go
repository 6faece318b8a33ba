package liqo

import (
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// DefaultMTU is the default MTU of a tunnel, in bytes, as in liqoctl.
const DefaultMTU = forge.DefaultMTU

// MTU returns the MTU of the gateway, in bytes, or 0 if there is none.
func (o Objects) MTU() int {
	switch {
	case o.GatewayServer != nil:
		return o.GatewayServer.Spec.MTU
	case o.GatewayClient != nil:
		return o.GatewayClient.Spec.MTU
	default:
		return 0
	}
}

// GatewayPod is a pod of a gateway.
type GatewayPod struct {
	Name, Namespace string
	Node            string // empty until it is scheduled
	Active          bool   // this replica holds the tunnel
}

// RotationAnnotation has the value of the last rotation. A rotation writes it to the Secret together with the new keys,
// and to the gateway when the gateway's pods restart with these keys. If only the Secret has it, the rotation was
// interrupted, and continues with the keys that are there.
const RotationAnnotation = cluster.FieldManager + "/key-rotation"

// KeyRotation returns the value of the last rotation of the gateway's keys, or an empty string. The gateway has
// restarted since, or is about to.
func (o Objects) KeyRotation() string {
	if gateway := o.Gateway(); gateway != nil {
		return gateway.GetAnnotations()[RotationAnnotation]
	}
	return ""
}

// Rotates reports whether the gateway gets new keys. One without keys gets new ones from Liqo anyway. An empty rotation
// keeps the keys.
func (o Objects) Rotates(rotation string) bool {
	return rotation != "" && rotation != o.KeyRotation() && o.Keys() != nil
}

// KeySecret is the name of a Secret of the user with the keys of a gateway. An empty name means that there is none. An
// empty namespace means the tenant namespace.
type KeySecret struct{ Namespace, Name string }

// KeySecret returns the user's Secret that the gateway uses. Its name is empty if there is none.
func (o Objects) KeySecret() KeySecret {
	switch {
	case o.GatewayServer != nil && o.GatewayServer.Spec.SecretRef.Name != "":
		return KeySecret{Namespace: o.GatewayServer.Namespace, Name: o.GatewayServer.Spec.SecretRef.Name}
	case o.GatewayClient != nil && o.GatewayClient.Spec.SecretRef.Name != "":
		return KeySecret{Namespace: o.GatewayClient.Namespace, Name: o.GatewayClient.Spec.SecretRef.Name}
	default:
		return KeySecret{}
	}
}

// Keys returns a reference to the Secret in which Liqo has put the gateway's keys, or nil.
func (o Objects) Keys() *corev1.ObjectReference {
	switch {
	case o.GatewayServer != nil:
		return o.GatewayServer.Status.SecretRef
	case o.GatewayClient != nil:
		return o.GatewayClient.Status.SecretRef
	default:
		return nil
	}
}
