package kube

import (
	"context"
	"fmt"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	componentconfig "k8s.io/component-base/config/v1alpha1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/dataplane"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kubelet"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/process"
)

// controllers is everything that works on the cluster through its API server.
type controllers struct {
	stopManager func()

	mu        sync.Mutex
	processes map[string]*process.Process
}

// add stores a process.
func (s *controllers) add(name string, p *process.Process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.processes[name] = p
}

// stopProcess ends one process, if it was started.
func (s *controllers) stopProcess(ctx context.Context, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.processes[name]; p != nil {
		p.Stop(ctx)
		delete(s.processes, name)
	}
}

// abandon ends everything in the lab's own process. The other processes will be killed.
func (s *controllers) abandon() {
	s.stopManager()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.processes {
		p.Abandon()
	}
}

// stop ends everything and waits for it.
func (s *controllers) stop(ctx context.Context) {
	s.stopManager()
	s.mu.Lock()
	defer s.mu.Unlock()
	var ended sync.WaitGroup
	for _, p := range s.processes {
		ended.Go(func() { p.Stop(ctx) })
	}
	ended.Wait()
}

// startControllers starts everything that works on the cluster, and returns when it works. Install,
// which may be nil, installs what Liqo needs before it can work.
func (c *Cluster) startControllers(ctx context.Context, install func(context.Context) error) error {
	c.controllers = &controllers{processes: map[string]*process.Process{}, stopManager: func() {}}
	steps := []step{
		{"kube-controller-manager", c.startKubeControllerManager},
		{"kube-scheduler", c.startKubeScheduler},
		{"stand-ins for kubelet, load balancer and data plane", c.startManager},
	}
	if !c.HasLiqo() {
		return c.together(ctx, steps...)
	}
	startLiqo := func(ctx context.Context) error {
		if install != nil {
			if err := c.do(ctx, step{"chart of Liqo", install}); err != nil {
				return err
			}
		}
		return c.startLiqo(ctx)
	}
	steps = append(steps,
		step{"liqo-webhook", c.startWebhook}, step{"liqo-ipam and liqo-controller-manager", startLiqo})
	return c.together(ctx, steps...)
}

// startManager starts the stand-ins, which run in the lab's own process.
func (c *Cluster) startManager(context.Context) error {
	mgr, err := ctrl.NewManager(c.config, ctrl.Options{
		Scheme:  Scheme,
		Metrics: metricsserver.Options{BindAddress: "0"},
		// Each cluster of the lab has controllers with the same names.
		Controller: config.Controller{SkipNameValidation: new(true)},
		Logger:     ctrl.Log.WithValues("cluster", c.Name),
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	if err := c.registerStandIns(ctx, mgr); err != nil {
		cancel(nil)
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := mgr.Start(ctx)
		if err != nil {
			mgr.GetLogger().Error(err, "the stand-ins ended")
		}
		cancel(err) // otherwise the wait for the caches would not end
	}()
	c.controllers.stopManager = sync.OnceFunc(func() {
		cancel(nil)
		<-ended
	})
	if !mgr.GetCache().WaitForCacheSync(ctx) {
		return fmt.Errorf("the caches do not fill: %w", context.Cause(ctx))
	}
	return nil
}

// registerStandIns adds the stand-ins to a manager. They end with ctx.
func (c *Cluster) registerStandIns(ctx context.Context, mgr manager.Manager) error {
	nodes := c.Nodes()
	var runtimes map[string]kubelet.Runtime
	if c.HasLiqo() {
		for i := range nodes {
			var err error
			if nodes[i].FabricArgs, err = c.fabricFlags(nodes[i].Fabric); err != nil {
				return err
			}
		}
		var err error
		runtimes, err = c.DataPlane.Register(ctx, mgr, dataplane.Cluster{
			Name: c.Name, Nodes: nodes, Settings: c.Settings,
			Liqo: c.Liqo, Programs: c.Programs, Kubeconfig: c.programsKubeconfig(), Logs: c.Logs,
		})
		if err != nil {
			return err
		}
	}
	for _, node := range nodes {
		err := kubelet.Register(ctx, mgr, kubelet.Options{
			Node: node.Name, NodeIP: node.IP, PodIPs: c.podIPs, Settings: c.Settings,
			Programs: c.podPrograms(), Runtime: runtimes[node.Name],
		})
		if err != nil {
			return err
		}
	}
	return kubelet.RegisterLoadBalancer(ctx, mgr, c.balancerIPs, c.Settings)
}

// run starts a program of the cluster that shall run all the time, and returns when it works. It does not wait if works
// is nil.
func (c *Cluster) run(
	ctx context.Context, program binaries.Program, args []string, works func(context.Context) error,
) error {
	p, err := c.start(program.Name, program, nil, args)
	if err == nil && works != nil {
		err = c.whileRunning(ctx, p, works)
	}
	if err == nil {
		p.Keep()
	}
	return err
}

// start starts a program under supervision. It has a name of its own, because a cluster may have several of it.
func (c *Cluster) start(name string, program binaries.Program, env, args []string) (*process.Process, error) {
	p, err := process.Start(process.Spec{
		Name: name,
		Path: c.Programs[program.Name],
		Args: args,
		Env:  append([]string{"KUBECONFIG=" + c.programsKubeconfig(), "POD_NAMESPACE=" + liqoNamespace}, env...),
		Log:  c.log(name),
	})
	if err != nil {
		return nil, err
	}
	c.controllers.add(name, p)
	return p, nil
}

// startKubeControllerManager starts the controllers that Liqo's gateways need. Liqo's kinds must
// exist before it starts: its garbage collector looks for new ones only every 30 seconds.
func (c *Cluster) startKubeControllerManager(ctx context.Context) error {
	controllers := []string{
		"namespace-controller", "garbage-collector-controller", "deployment-controller", "replicaset-controller",
		"serviceaccount-controller", "node-lifecycle-controller", "taint-eviction-controller",
	}
	args := []string{
		"--kubeconfig=" + c.programsKubeconfig(),
		"--leader-elect=false",
		"--secure-port=0",
		fmt.Sprintf("--kube-api-qps=%d", qps),
		fmt.Sprintf("--kube-api-burst=%d", burst),
	}
	if c.Peerable {
		controllers = append(controllers, peeringControllers...)
		flags, err := c.peeringControllerFlags()
		if err != nil {
			return err
		}
		args = append(args, flags...)
	}
	args = append(args, "--controllers="+strings.Join(controllers, ","))
	return c.run(ctx, binaries.KubeControllerManager, args, func(ctx context.Context) error {
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "default"}}
		return Await(ctx, c.client, account, exists, named(account)...)
	})
}

// startKubeScheduler starts the scheduler, which binds pods to the node. It does not wait: pods do,
// and the scheduler works before Liqo does.
func (c *Cluster) startKubeScheduler(ctx context.Context) error {
	file, err := c.writeSchedulerConfig()
	if err != nil {
		return err
	}
	return c.run(ctx, binaries.KubeScheduler, []string{"--config=" + file, "--secure-port=0"}, nil)
}

// writeSchedulerConfig configures the scheduler as in any cluster, but without its plugins for
// devices, because a lab has none. Its message for a pod that fits on no node is then the same as
// in older versions of Kubernetes, which leaves also have.
func (c *Cluster) writeSchedulerConfig() (string, error) {
	return c.writeYAML("scheduler.yaml", schedulerconfig.KubeSchedulerConfiguration{
		TypeMeta: metav1.TypeMeta{
			APIVersion: schedulerconfig.SchemeGroupVersion.String(), Kind: "KubeSchedulerConfiguration",
		},
		LeaderElection: componentconfig.LeaderElectionConfiguration{LeaderElect: new(false)},
		ClientConnection: componentconfig.ClientConnectionConfiguration{
			Kubeconfig: c.programsKubeconfig(), QPS: qps, Burst: burst,
		},
		Profiles: []schedulerconfig.KubeSchedulerProfile{{
			Plugins: &schedulerconfig.Plugins{
				MultiPoint: schedulerconfig.PluginSet{Disabled: []schedulerconfig.Plugin{{Name: "DynamicResources"}}},
			},
		}},
	})
}
