// Package lab runs several leaf clusters that can reach each other's gateways.
package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/klog/v2"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/dataplane"
	realplane "github.com/leafmesh/terraform-provider-liqo/internal/lab/dataplane/real"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kubelet"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/process"
)

// podReportedAfter is how long a command has run, on average, when a real kubelet reports its pod.
const podReportedAfter = 500 * time.Millisecond

// Lab is a running lab.
type Lab struct {
	dir       *labdir.Dir
	clusters  []*kube.Cluster
	real      *realplane.Real // nil if the data plane is simulated
	guard     *exec.Cmd
	guardPipe io.Closer // ends with this process
}

// Start builds the programs if necessary and starts all clusters in parallel. It returns when all
// are ready. On an error, it leaves nothing behind.
func Start(ctx context.Context, options Options) (_ *Lab, err error) {
	dir, err := labdir.Create(options.Dir)
	if err != nil {
		return nil, err
	}
	l := &Lab{dir: dir}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Stop())
		}
	}()
	if err := l.prepare(options); err != nil {
		return nil, err
	}
	if err := l.newClusters(ctx, options); err != nil {
		return nil, err
	}
	if err := l.startClusters(ctx); err != nil {
		return nil, err
	}
	if err := l.writeKubeconfig(); err != nil {
		return nil, err
	}
	return l, dir.WriteState(l.State())
}

// prepare ensures that nothing of the lab can outlive it.
func (l *Lab) prepare(options Options) error {
	err := errors.Join(process.Mark(l.dir.Path), os.MkdirAll(l.dir.Temporary(), 0o700),
		os.Setenv("TMPDIR", l.dir.Temporary()), os.MkdirAll(filepath.Dir(l.dir.Log()), 0o755))
	if err != nil {
		return err
	}
	log, err := os.Create(l.dir.Log())
	if err != nil {
		return err
	}
	klog.SetOutput(log) // as long as the process lives
	l.guard = exec.Command(options.Guard[0], options.Guard[1:]...)
	if l.guardPipe, err = l.guard.StdinPipe(); err != nil {
		return err
	}
	l.guard.Env = process.Unmarked() // it does not look for itself, and nobody else shall
	// The guard is in a session of its own, so that it survives when the lab's process group is killed or its terminal
	// closed.
	l.guard.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return l.guard.Start()
}

func (l *Lab) newClusters(ctx context.Context, options Options) error {
	installations, err := options.install(ctx)
	if err != nil {
		return err
	}
	var plane dataplane.DataPlane = dataplane.NewSimulated()
	if options.DataPlane == Real {
		l.real = realplane.New(options.Helper)
		plane = l.real
	}
	for i, spec := range options.Clusters {
		c, err := kube.New(kube.Options{
			Spec:         spec,
			Number:       i,
			Data:         l.dir.Data(spec.Name),
			Logs:         l.dir.Logs(spec.Name),
			Peerable:     options.Peerable && spec.HasLiqo(),
			Installation: installations[versionsOf(spec)],
			Install:      options.installVersions,
			DataPlane:    plane,
			Settings: kubelet.NewSettings(kubelet.Values{
				LoadBalancer: true, PullImage: true, Connect: true, PodReportedAfter: podReportedAfter,
			}),
			Report: func(step string, took time.Duration) {
				options.Report.Say("%s: %s (%.1fs)", spec.Name, step, took.Seconds())
			},
		})
		if err != nil {
			return err
		}
		l.clusters = append(l.clusters, c)
	}
	return nil
}

// startClusters starts all clusters in parallel. The first failure stops the others.
func (l *Lab) startClusters(ctx context.Context) error {
	if err := spareGarbageCollection(); err != nil {
		return err
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	// Starting an API server can't be interrupted, but it ends when its process does.
	ready := context.AfterFunc(ctx, func() { _ = process.KillMarked(l.dir.Path) })
	var group sync.WaitGroup
	for _, c := range l.clusters {
		group.Go(func() {
			if err := c.Start(ctx); err != nil {
				fail(err)
			}
		})
	}
	group.Wait()
	ready()
	return context.Cause(ctx)
}

// spareGarbageCollection allows the clusters' programs more memory, unless the user has set it.
// Many of them share few cores. An API server that collects garbage half as often needs an eighth
// less CPU time.
func spareGarbageCollection() error {
	if os.Getenv("GOGC") != "" {
		return nil
	}
	return os.Setenv("GOGC", "300")
}

// writeKubeconfig writes the file with all clusters.
func (l *Lab) writeKubeconfig() error {
	merged := clientcmdapi.NewConfig()
	for _, c := range l.clusters {
		config := c.OperatorKubeconfig()
		merged.Clusters[c.Name] = config.Clusters[c.Name]
		merged.AuthInfos[c.Name] = config.AuthInfos[c.Name]
		merged.Contexts[c.Name] = config.Contexts[c.Name]
	}
	merged.CurrentContext = l.clusters[0].Name
	return clientcmd.WriteToFile(*merged, l.dir.Kubeconfig())
}

// Dir returns the lab's folder.
func (l *Lab) Dir() *labdir.Dir { return l.dir }

// State describes the lab to its users.
func (l *Lab) State() labdir.State {
	state := labdir.State{Dir: l.dir.Path, Kubeconfig: l.dir.Kubeconfig(), DataPlane: string(Simulated)}
	if l.real != nil {
		state.DataPlane = string(Real)
	}
	for _, c := range l.clusters {
		release := c.Release()
		described := labdir.Cluster{
			Name: c.Name, Kubeconfig: c.KubeconfigFile(), Server: c.Config().Host, Etcd: c.Etcd,
			PodCIDR: c.PodCIDR.String(), ExternalCIDR: c.ExternalCIDR.String(), ClusterID: c.Name, AuditLog: c.AuditLog(),
			KubernetesVersion: c.Kubernetes, LiqoVersion: string(release.Version), LiqoFolder: release.Folder,
			Peerable: c.Peerable,
		}
		for _, node := range c.Nodes() {
			one := labdir.Node{Name: node.Name}
			if l.real != nil {
				one.IP, one.NATIP = node.IP.String(), node.NATIP.String()
			}
			described.Nodes = append(described.Nodes, one)
		}
		described.NodeIP, described.NATIP = described.Nodes[0].IP, described.Nodes[0].NATIP
		state.Clusters = append(state.Clusters, described)
	}
	return state
}

// Cluster returns a cluster by its name.
func (l *Lab) Cluster(name string) (*kube.Cluster, error) {
	for _, c := range l.clusters {
		if c.Name == name {
			return c, nil
		}
	}
	return nil, fmt.Errorf("the lab has no cluster %q", name)
}

// Stop ends everything and removes the lab's folder.
func (l *Lab) Stop() error {
	for _, c := range l.clusters {
		c.Stop()
	}
	if l.real != nil {
		l.real.Close()
	}
	if l.guard != nil && l.guard.Process != nil {
		_ = l.guard.Process.Kill() // there is nothing left for it to do
		_ = l.guard.Wait()
	}
	return l.dir.Remove()
}

// CheckClusters returns an error for clusters that can't be in one lab.
func CheckClusters(clusters []kube.Spec) error {
	if len(clusters) == 0 || len(clusters) > kube.MostClusters {
		return fmt.Errorf("a lab has 1 to %d clusters, not %d", kube.MostClusters, len(clusters))
	}
	seen := map[string]bool{}
	for _, c := range clusters {
		if seen[c.Name] {
			return fmt.Errorf("two clusters are named %q", c.Name)
		}
		seen[c.Name] = true
		if c.NodeCount < 1 || c.NodeCount > kube.MostNodes {
			return fmt.Errorf("cluster %s: a cluster has 1 to %d nodes, not %d", c.Name, kube.MostNodes, c.NodeCount)
		}
		for _, cidr := range []netip.Prefix{c.PodCIDR, c.ExternalCIDR, c.ServiceCIDR} {
			if cidr != cidr.Masked() || !cidr.Addr().Is4() {
				return fmt.Errorf("cluster %s: %s is not an IPv4 network", c.Name, cidr)
			}
		}
	}
	return nil
}
