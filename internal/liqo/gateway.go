package liqo

import (
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// DefaultMTU is the default MTU of a tunnel, in bytes, as in liqoctl.
const DefaultMTU = forge.DefaultMTU

// GatewayRole is the role of a gateway in its tunnel.
type GatewayRole string

// The values of [GatewayRole].
const (
	ServerRole GatewayRole = "server"
	ClientRole GatewayRole = "client"
)

// Other returns the role of the gateway at the other end.
func (r GatewayRole) Other() GatewayRole {
	if r == ServerRole {
		return ClientRole
	}
	return ServerRole
}

// Role returns that of the leaf's gateway.
func (o Objects) Role() GatewayRole {
	if o.GatewayServer != nil {
		return ServerRole
	}
	return ClientRole
}

// TunnelSettings are the settings that the two gateways of a network have in common.
type TunnelSettings struct {
	MTU         int    // of the tunnel, in bytes
	KeyRotation string // another value gives a gateway new keys; empty keeps them
	Limited     bool   // what may cross is limited by a FirewallConfiguration at each end
}

// TunnelSettings returns those of the leaf's gateway. They are empty if there is none.
func (o Objects) TunnelSettings() TunnelSettings { return tunnelSettingsOf(o.Gateway()) }

func tunnelSettingsOf(gateway client.Object) TunnelSettings {
	switch gateway := gateway.(type) {
	case *networkingv1beta1.GatewayServer:
		return tunnelSettingsWith(gateway.Spec.MTU, gateway.Annotations)
	case *networkingv1beta1.GatewayClient:
		return tunnelSettingsWith(gateway.Spec.MTU, gateway.Annotations)
	default:
		return TunnelSettings{}
	}
}

func tunnelSettingsWith(mtu int, annotations map[string]string) TunnelSettings {
	return TunnelSettings{
		MTU: mtu, KeyRotation: annotations[RotationAnnotation], Limited: annotations[LimitsAnnotation] != "",
	}
}

// GatewayPod is a pod of a gateway.
type GatewayPod struct {
	Name, Namespace string
	Node            string // empty until it is scheduled
	Active          bool   // this replica holds the tunnel
	Ready           bool
	ActiveSince     time.Time // zero if it is not active
}

// RotationAnnotation has the value of the last rotation. A rotation writes it to the Secret together with the new keys,
// and to the gateway, which has restarted since or is about to. If only the Secret has it, the rotation was
// interrupted, and continues with the keys that are there.
const RotationAnnotation = cluster.FieldManager + "/key-rotation"

// KeySecret is the name of a Secret of the user with the keys of a gateway. An empty name means that there is none. An
// empty namespace means the tenant namespace.
type KeySecret struct{ Namespace, Name string }
