package dataplane

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/liqotech/liqo/pkg/consts"
	"github.com/liqotech/liqo/pkg/gateway"
	"github.com/liqotech/liqo/pkg/gateway/connection"
	"github.com/liqotech/liqo/pkg/gateway/connection/conncheck"
	"github.com/liqotech/liqo/pkg/gateway/tunnel/wireguard"
	"github.com/spf13/pflag"
	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kubelet"
)

// The containers of a gateway pod by their names in Liqo's templates, and the volume with the keys.
const (
	gatewayContainer   = "gateway"
	wireguardContainer = "wireguard"
	keysVolume         = "wireguard-config"
)

// end is one end of a tunnel: what a running gateway pod knows, and what it has received from the
// other end.
type end struct {
	cluster string
	pod     client.ObjectKey
	uid     string

	// wireguard and check are the arguments of the pod's containers.
	wireguard *wireguard.Options
	check     *connection.Options
	// publicKey belongs to the private key in the Secret when the pod started, because Liqo reads
	// it once.
	publicKey wgtypes.Key

	// peerKey is the other end's key. peerKeyVersion is the version of the PublicKey from which it
	// was read. Both stay when the PublicKey is deleted, because Liqo's gateway ignores that.
	peerKey        wgtypes.Key
	peerKeyVersion string

	// listens has the addresses of a server, in the form address:port.
	listens []string

	// open reports whether packets pass at this end.
	open bool
	// lastPong is when the other end last answered.
	lastPong time.Time
}

// isGateway reports whether a pod holds the end of a tunnel.
func isGateway(pod *corev1.Pod) bool { return kubelet.Container(pod, wireguardContainer) != nil }

// newEnd starts a gateway pod's end of a tunnel. It parses the arguments of the containers with
// Liqo's own flags, and reads the private key from the mounted Secret.
func newEnd(ctx context.Context, reader client.Reader, cluster string, pod *corev1.Pod) (*end, error) {
	options := gateway.NewOptions()
	e := &end{
		cluster:   cluster,
		pod:       client.ObjectKeyFromObject(pod),
		uid:       string(pod.UID),
		wireguard: wireguard.NewOptions(options),
		check:     connection.NewOptions(options, conncheck.NewOptions()),
	}
	err := parse(kubelet.Container(pod, wireguardContainer), func(flags *pflag.FlagSet) {
		gateway.InitFlags(flags, options)
		wireguard.InitFlags(flags, e.wireguard)
	})
	if err != nil {
		return nil, err
	}
	err = parse(kubelet.Container(pod, gatewayContainer), func(flags *pflag.FlagSet) {
		gateway.InitFlags(flags, gateway.NewOptions())
		connection.InitFlags(flags, e.check)
	})
	if err != nil {
		return nil, err
	}
	e.publicKey, err = mountedKey(ctx, reader, pod)
	return e, err
}

// parse parses a container's arguments. It ignores flags that other parts of Liqo define.
func parse(c *corev1.Container, define func(*pflag.FlagSet)) error {
	if c == nil {
		return nil
	}
	flags := pflag.NewFlagSet(c.Name, pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	define(flags)
	if err := flags.Parse(c.Args); err != nil {
		return fmt.Errorf("arguments of container %s: %w", c.Name, err)
	}
	return nil
}

// mountedKey returns the public key for the private key in the pod's volume.
func mountedKey(ctx context.Context, reader client.Reader, pod *corev1.Pod) (wgtypes.Key, error) {
	for i := range pod.Spec.Volumes {
		volume := &pod.Spec.Volumes[i]
		if volume.Name != keysVolume || volume.Secret == nil {
			continue
		}
		var secret corev1.Secret
		key := client.ObjectKey{Namespace: pod.Namespace, Name: volume.Secret.SecretName}
		if err := reader.Get(ctx, key, &secret); err != nil {
			return wgtypes.Key{}, err
		}
		private, err := wgtypes.NewKey(secret.Data[consts.PrivateKeyField])
		if err != nil {
			return wgtypes.Key{}, fmt.Errorf("private key in Secret %s/%s: %w", secret.Namespace, secret.Name, err)
		}
		return private.PublicKey(), nil
	}
	return wgtypes.Key{}, fmt.Errorf("pod %s/%s has no volume %s", pod.Namespace, pod.Name, keysVolume)
}

// remote returns the cluster ID of the other end.
func (e *end) remote() string { return e.wireguard.GwOptions.RemoteClusterID }

// dials returns the address that a client dials, in the form address:port.
func (e *end) dials() string {
	return net.JoinHostPort(e.wireguard.EndpointAddress, strconv.Itoa(e.wireguard.EndpointPort))
}

// lossAfter is the time without an answer after which Liqo reports the tunnel as lost.
func (e *end) lossAfter() time.Duration {
	return e.check.ConnCheckOptions.PingInterval * time.Duration(e.check.ConnCheckOptions.PingLossThreshold)
}

// shakesHandsWith reports whether WireGuard would let packets through between a client and a
// server.
func (e *end) shakesHandsWith(server *end) bool {
	return e.wireguard.GwOptions.Mode == gateway.ModeClient && server.wireguard.GwOptions.Mode == gateway.ModeServer &&
		e.open && server.open &&
		slices.Contains(server.listens, e.dials()) &&
		e.peerKey == server.publicKey && server.peerKey == e.publicKey
}

// addresses returns the addresses that a server's Services give it: each cluster IP with the port,
// each node with the node port, and the load balancer's addresses with the port.
func addresses(services []corev1.Service, pod *corev1.Pod, listenPort int, nodes []Node) []string {
	var list []string
	for i := range services {
		service := &services[i]
		selector := labels.SelectorFromSet(service.Spec.Selector)
		if len(service.Spec.Selector) == 0 || !selector.Matches(labels.Set(pod.Labels)) {
			continue
		}
		for _, port := range service.Spec.Ports {
			if port.Protocol == corev1.ProtocolUDP && port.TargetPort.IntValue() == listenPort {
				list = append(list, addressesOfPort(service, port, nodes)...)
			}
		}
	}
	return list
}

// addressesOfPort returns the addresses of one port of a Service.
func addressesOfPort(service *corev1.Service, port corev1.ServicePort, nodes []Node) (list []string) {
	add := func(host string, port int32) { list = append(list, net.JoinHostPort(host, strconv.Itoa(int(port)))) }
	for _, ip := range service.Spec.ClusterIPs {
		add(ip, port.Port)
	}
	for _, node := range nodes {
		if port.NodePort != 0 {
			add(node.IP.String(), port.NodePort)
		}
	}
	for _, ingress := range service.Status.LoadBalancer.Ingress {
		add(ingress.IP+ingress.Hostname, port.Port)
	}
	return list
}
