package real

import (
	"context"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/dataplane"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kubelet"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/process"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/underlay"
)

// kubeconfig is the path at which Liqo's programs find their credentials.
const kubeconfig = "/kubeconfig"

// leaf is the node of a cluster and its pods.
type leaf struct {
	dataplane.Cluster
	plane     *Real
	node      *sandbox.Sandbox
	port      *underlay.Port
	apiServer string // in the form address:port
	relay     *relay
	fabric    *process.Process

	mu     sync.Mutex
	client client.Client // of the manager that was registered last
	pods   map[client.ObjectKey]*pod
	links  map[client.ObjectKey]link // by InternalFabric
	number int                       // of the last pod's device
	served served
}

// newLeaf creates the node of a cluster. The cluster's API server has an address of the form
// https://address:port.
func newLeaf(plane *Real, apiServer string, cluster dataplane.Cluster) (_ *leaf, err error) {
	server, err := url.Parse(apiServer)
	if err != nil {
		return nil, err
	}
	l := &leaf{
		Cluster: cluster, plane: plane, apiServer: server.Host,
		pods: map[client.ObjectKey]*pod{}, links: map[client.ObjectKey]link{},
	}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	l.node, err = sandbox.Start(plane.helper, sandbox.Spec{
		Name: cluster.Name, Sysctls: forwarding(), Folders: []string{"/etc/iproute2"}, Mounts: l.mounts(binaries.LiqoFabric),
	})
	if err != nil {
		return nil, err
	}
	if l.port, err = plug(l.node, plane.Underlay, cluster.NodeIP, cluster.Name); err != nil {
		return nil, err
	}
	if err := writeRules(l.node, nil); err != nil {
		return nil, err
	}
	if l.relay, err = startRelay(l.node, l.apiServer); err != nil {
		return nil, err
	}
	l.fabric, err = l.startIn(l.node, binaries.LiqoFabric, binaries.LiqoFabric.Name, cluster.FabricArgs)
	return l, err
}

// mounts are the files that Liqo's programs need in a sandbox: themselves and their credentials.
func (l *leaf) mounts(programs ...binaries.Program) map[string]string {
	mounts := map[string]string{kubeconfig: l.Kubeconfig}
	for _, program := range programs {
		mounts[inside(program)] = l.Programs[program.Name]
	}
	return mounts
}

// inside returns the path of a program in a sandbox.
func inside(program binaries.Program) string { return "/usr/bin/" + program.Name }

// startIn runs one of Liqo's programs in a sandbox. It starts the program again whenever it ends,
// like a container. Name is the name of its log.
func (l *leaf) startIn(
	in *sandbox.Sandbox, program binaries.Program, name string, args []string,
) (*process.Process, error) {
	enter := slices.Concat(l.plane.helper[1:], []string{"enter", strconv.Itoa(in.PID), inside(program)}, args)
	p, err := process.Start(process.Spec{
		Name: name, Path: l.plane.helper[0], Args: enter,
		Env: []string{"KUBECONFIG=" + kubeconfig}, Log: filepath.Join(l.Logs, name+".log"),
	})
	if err != nil {
		return nil, err
	}
	p.Keep()
	return p, nil
}

// register adds the leaf's controllers to a manager. They end with ctx, and so does followSettings.
func (l *leaf) register(ctx context.Context, mgr manager.Manager) error {
	l.mu.Lock()
	l.client = mgr.GetClient()
	l.mu.Unlock()
	go l.followSettings(ctx)

	all := kubelet.Requeue(mgr.GetClient(), &networkingv1beta1.InternalFabricList{},
		func(*networkingv1beta1.InternalFabric) bool { return true })
	err := ctrl.NewControllerManagedBy(mgr).Named("internal-fabrics").
		For(&networkingv1beta1.InternalFabric{}).
		Watches(&networkingv1beta1.InternalNode{}, all).
		Complete(fabrics{l})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).Named("services").
		Watches(&corev1.Service{}, wholeCluster).
		Watches(&corev1.Pod{}, wholeCluster).
		Watches(&discoveryv1.EndpointSlice{}, wholeCluster).
		Complete(services{l})
}

// followSettings cuts the leaf off while its settings let no packet pass.
func (l *leaf) followSettings(ctx context.Context) {
	changes := l.Settings.Listen(ctx)
	for {
		l.plane.Underlay.Isolate(l.Name, !l.Settings.Get().Connect)
		select {
		case <-changes:
		case <-ctx.Done():
			return
		}
	}
}

// close ends everything of the leaf.
func (l *leaf) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key := range l.pods {
		l.remove(key)
	}
	for fabric := range l.links {
		l.unlink(fabric)
	}
	if l.fabric != nil {
		l.fabric.Stop(context.Background())
	}
	if l.relay != nil {
		l.relay.close()
	}
	if l.port != nil {
		_ = l.port.Close()
	}
	if l.node != nil {
		l.node.Stop()
	}
}
