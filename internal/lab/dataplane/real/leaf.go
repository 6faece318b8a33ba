package real

import (
	"context"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

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
)

// kubeconfig is the path at which Liqo's programs find their credentials.
const kubeconfig = "/kubeconfig"

// leaf is a cluster: its nodes and their pods.
type leaf struct {
	dataplane.Cluster
	plane     *Real
	apiServer string // in the form address:port
	nodes     []*node

	mu        sync.Mutex
	client    client.Client // of the manager that was registered last
	live      client.Reader // of the same, without cache
	pods      map[client.ObjectKey]*pod
	number    int                  // of the last pod's device
	balancers map[netip.Addr]*node // the nodes that addresses of load balancers lead to
}

// newLeaf creates the nodes of a cluster. The cluster's API server has an address of the form
// https://address:port.
func newLeaf(plane *Real, apiServer string, cluster dataplane.Cluster) (_ *leaf, err error) {
	server, err := url.Parse(apiServer)
	if err != nil {
		return nil, err
	}
	l := &leaf{
		Cluster: cluster, plane: plane, apiServer: server.Host, pods: map[client.ObjectKey]*pod{},
	}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	for _, spec := range cluster.Nodes {
		if err := l.addNode(spec); err != nil {
			return nil, err
		}
	}
	return l, nil
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
	enter := append([]string{"enter", strconv.Itoa(in.PID), inside(program)}, args...)
	p, err := process.Start(process.Spec{
		Name: name, Path: l.plane.helper, Args: enter,
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
	l.client, l.live = mgr.GetClient(), mgr.GetAPIReader()
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
		Watches(&corev1.Node{}, wholeCluster).
		Watches(&discoveryv1.EndpointSlice{}, wholeCluster).
		Complete(services{l})
}

// followSettings cuts the leaf off while its settings let no packet pass, and its lost nodes.
func (l *leaf) followSettings(ctx context.Context) {
	changes := l.Settings.Listen(ctx)
	for {
		current := l.Settings.Get()
		l.plane.Underlay.Isolate(l.Name, !current.Connect)
		for _, n := range l.nodes {
			if err := n.setLost(slices.Contains(current.LostNodes, n.spec.Name)); err != nil {
				ctrl.Log.Error(err, "cutting a node off", "node", n.spec.Name)
			}
		}
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
	for _, n := range l.nodes {
		n.close()
	}
}

// shell are the folders of the machine that the command of a probe needs in a gateway's sandbox: with a shell, with
// programs beside it, and with their libraries. Liqo's programs are in another one.
var shell = []string{"/bin", "/lib", "/lib64"}

// keepAlive ends the program of a container when as many probes in a row have failed as their threshold says: those of
// its start, if it has any, until one of them succeeds, and then those of its liveness. The program then starts again.
// A program that starts again by itself is probed anew. It returns when the program ends for good, and at once if the
// container has no liveness probe that is a command: that is the only kind that the lab knows.
func (l *leaf) keepAlive(in *sandbox.Sandbox, p *process.Process, start, liveness *corev1.Probe) {
	if liveness == nil || liveness.Exec == nil {
		return
	}
	if start == nil {
		start = liveness
	}
	for {
		restarts, probe, pause := p.Restarts(), start, start.InitialDelaySeconds
		for failures := int32(0); failures < probe.FailureThreshold; {
			select {
			case <-p.Done():
				return
			case <-time.After(seconds(pause)):
			}
			switch {
			case restarts != p.Restarts():
				restarts, probe, failures = p.Restarts(), start, 0
			case l.succeeds(in, probe):
				probe, failures = liveness, 0
			default:
				failures++
			}
			pause = probe.PeriodSeconds
		}
		p.Kill()
	}
}

// succeeds runs the command of a probe in a gateway's sandbox.
func (l *leaf) succeeds(in *sandbox.Sandbox, probe *corev1.Probe) bool {
	ctx, cancel := context.WithTimeout(context.Background(), seconds(probe.TimeoutSeconds))
	defer cancel()
	enter := append([]string{"enter", strconv.Itoa(in.PID)}, probe.Exec.Command...)
	command := exec.CommandContext(ctx, l.plane.helper, enter...)
	command.Env = append(os.Environ(), "PATH="+toolsDir+":/bin")
	return command.Run() == nil
}

func seconds(number int32) time.Duration { return time.Duration(number) * time.Second }
