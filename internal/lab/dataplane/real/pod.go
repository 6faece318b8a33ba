package real

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/netip"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/liqotech/liqo/pkg/gateway"
	"github.com/liqotech/liqo/pkg/vkMachinery"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/fault"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kubelet"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/process"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/relay"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
)

var _ kubelet.Runtime = &node{}

// containers are the programs of a gateway's pod, by the names of its containers in Liqo's
// templates. There is a third, for Geneve, which the lab does not need.
var containers = map[string]binaries.Program{"gateway": binaries.LiqoGateway, "wireguard": binaries.LiqoWireGuard}

// gatewayContainer is the container that identifies a gateway's pod.
const gatewayContainer = "wireguard"

// pod is a running pod.
type pod struct {
	*sandbox.Sandbox
	node      *node
	uid       types.UID
	ip        netip.Addr
	faults    *fault.Faults
	device    string       // its end in the node
	relay     *relay.Relay // to the API server, of a gateway
	processes []*process.Process
}

// Run implements kubelet.Runtime.
func (n *node) Run(ctx context.Context, object *corev1.Pod, ip netip.Addr) error {
	if object.Spec.HostNetwork || kubelet.Container(object, vkMachinery.ContainerName) != nil {
		return nil // it is on the machine
	}
	n.leaf.mu.Lock()
	defer n.leaf.mu.Unlock()
	key := client.ObjectKeyFromObject(object)
	running := n.leaf.pods[key]
	if started := n.jobs.of(object); started != nil {
		if running == nil {
			return nil // it has ended, and does not run again
		}
		return n.startAdded(object, started, running)
	}
	if running != nil {
		if running.uid == object.UID && running.ip == ip {
			return nil
		}
		n.leaf.remove(key)
	}
	if err := n.start(ctx, object, ip); err != nil {
		n.leaf.remove(key)
		return err
	}
	return nil
}

// Remove implements kubelet.Runtime.
func (n *node) Remove(_ context.Context, key client.ObjectKey) {
	n.leaf.mu.Lock()
	defer n.leaf.mu.Unlock()
	// Another node may run the next pod of this name.
	if running := n.leaf.pods[key]; running != nil && running.node == n {
		n.leaf.remove(key)
	}
	n.jobs.kill(key) // of a pod that has ended
}

// start must be called with the lock held. If it fails, n.pods has everything that it has created.
func (n *node) start(ctx context.Context, object *corev1.Pod, ip netip.Addr) error {
	spec := sandbox.Spec{Name: fmt.Sprintf("%s/%s/%s", n.leaf.Name, object.Namespace, object.Name)}
	gateway, job := kubelet.Container(object, gatewayContainer) != nil, kubelet.RunsCommands(object)
	var err error
	switch {
	case gateway:
		spec, err = n.leaf.gatewaySpec(ctx, object, spec.Name)
	case job:
		spec, err = n.leaf.jobSpec(object, spec.Name)
	default:
		spec.Echo = append([]uint16{httpPort}, ports(object.Spec.Containers)...)
	}
	if err != nil {
		return err
	}
	held, err := sandbox.Start(n.leaf.plane.helper, spec)
	if err != nil {
		return err
	}
	n.leaf.number++
	started := &pod{
		Sandbox: held, node: n, uid: object.UID, ip: ip, faults: fault.New(held),
		device: fmt.Sprintf("pod%d", n.leaf.number),
	}
	n.leaf.pods[client.ObjectKeyFromObject(object)] = started
	if err := joinPod(n.sandbox, held, started.device, ip); err != nil {
		return err
	}
	if err := n.routePod(ip); err != nil {
		return err
	}
	switch {
	case gateway:
		return n.leaf.startGateway(object, started)
	case job:
		return n.startJob(object, started)
	}
	return nil
}

// gatewaySpec returns a sandbox for the programs of a gateway's pod, with the pod's mounts. The private key is in
// memory only. It is read live: the cache may still have the one from before a rotation, which the pod would then keep.
func (l *leaf) gatewaySpec(ctx context.Context, object *corev1.Pod, name string) (sandbox.Spec, error) {
	programs := slices.Collect(maps.Values(containers))
	if l.Liqo.Version.RunsWireGuardGo() {
		programs = append(programs, binaries.WireGuardGo)
	}
	spec := sandbox.Spec{
		Name: name, Sysctls: forwarding(), Mounts: l.mounts(programs...), Shared: shell,
		Folders: []string{"/etc/iproute2", "/var/run"}, Files: map[string][]byte{},
	}
	l.mountTools(spec.Mounts)
	volumes := map[string]corev1.Volume{}
	for _, volume := range object.Spec.Volumes {
		volumes[volume.Name] = volume
	}
	for _, c := range object.Spec.Containers {
		if _, runs := containers[c.Name]; !runs {
			spec.Echo = append(spec.Echo, ports([]corev1.Container{c})...) // as if it ran
		}
		for _, mount := range c.VolumeMounts {
			volume := volumes[mount.Name]
			switch {
			case volume.EmptyDir != nil:
				spec.Folders = append(spec.Folders, mount.MountPath)
			case volume.Secret != nil:
				var secret corev1.Secret
				key := client.ObjectKey{Namespace: object.Namespace, Name: volume.Secret.SecretName}
				if err := l.live.Get(ctx, key, &secret); err != nil {
					return spec, err
				}
				for file, content := range secret.Data {
					spec.Files[path.Join(mount.MountPath, file)] = content
				}
			}
		}
	}
	return spec, nil
}

// startGateway runs Liqo's programs in a pod.
func (l *leaf) startGateway(object *corev1.Pod, in *pod) error {
	var err error
	if in.relay, err = startRelay(in.Sandbox, l.apiServer); err != nil {
		return err
	}
	for name, program := range containers {
		c := kubelet.Container(object, name)
		if c == nil {
			return fmt.Errorf("the pod has no container %q", name)
		}
		_, _, args, err := kubelet.Command(object, c)
		if err != nil {
			return fmt.Errorf("container %s: %w", name, err)
		}
		p, err := l.startIn(in.Sandbox, program, object.Name+"-"+name, withoutGeneve(args))
		if err != nil {
			return err
		}
		in.processes = append(in.processes, p)
		go l.keepAlive(in.Sandbox, p, c.StartupProbe, c.LivenessProbe)
	}
	return nil
}

// awaited is the flag with the containers for which liqo-gateway waits before it elects itself as
// the active gateway.
const awaited = "--" + string(gateway.FlagConcurrentContainersNames) + "="

// withoutGeneve makes liqo-gateway wait only for the other container that the lab runs.
func withoutGeneve(args []string) []string {
	changed := slices.Clone(args)
	for i, arg := range changed {
		if strings.HasPrefix(arg, awaited) {
			changed[i] = awaited + gatewayContainer
		}
	}
	return changed
}

// remove must be called with the lock held.
func (l *leaf) remove(key client.ObjectKey) {
	if gone := l.pods[key]; gone != nil {
		gone.node.jobs.kill(key)
	}
	l.dismantle(key)
}

// dismantle ends the sandbox of a pod. It must be called with the lock held.
func (l *leaf) dismantle(key client.ObjectKey) {
	gone := l.pods[key]
	if gone == nil {
		return
	}
	delete(l.pods, key)
	var ended sync.WaitGroup
	for _, p := range gone.processes {
		ended.Go(func() { p.Stop(context.Background()) })
	}
	ended.Wait()
	// The network outlives its processes, and must not be reached.
	gone.node.unroutePod(gone.ip)
	removeDevice(gone.node.sandbox, gone.device)
	if gone.relay != nil {
		_ = gone.relay.Close()
	}
	gone.Stop()
}

// httpPort is the port on which every pod answers that is no gateway's.
const httpPort = 80

// ports returns the other TCP ports that containers declare.
func ports(of []corev1.Container) (declared []uint16) {
	for i := range of {
		for _, port := range of[i].Ports {
			number, protocol := uint16(port.ContainerPort), cmp.Or(port.Protocol, corev1.ProtocolTCP)
			if protocol == corev1.ProtocolTCP && number != httpPort && !slices.Contains(declared, number) {
				declared = append(declared, number)
			}
		}
	}
	return declared
}
