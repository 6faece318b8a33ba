package liqo

import (
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"

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

// KeySecret is the name of a Secret of the user with the keys of a gateway. An empty name means that there is none. An
// empty namespace means the tenant namespace.
type KeySecret struct{ Namespace, Name string }
