// Package kube runs one cluster: etcd, kube-apiserver, kube-controller-manager and kube-scheduler, Liqo's own
// controllers, and stand-ins for the parts that need containers and packets.
package kube

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/dataplane"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kubelet"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// liqoNamespace is the namespace in which Liqo is installed.
const liqoNamespace = "liqo"

// podsApart is the distance between the first pod addresses of two clusters in their networks.
const podsApart = 256

// Spec describes a cluster.
type Spec struct {
	// Name is the cluster's name, its Liqo cluster ID and its context in the kubeconfig.
	Name string
	// PodCIDR, ExternalCIDR and ServiceCIDR are its networks. Two clusters may have the same ones.
	PodCIDR, ExternalCIDR, ServiceCIDR netip.Prefix
	// NodeCount is the number of its nodes, from 1 to MostNodes.
	NodeCount int
	// Kubernetes is the version of Kubernetes, with a leading v.
	Kubernetes string
	// Liqo is the release of Liqo, or empty if Liqo is not installed.
	Liqo binaries.LiqoRelease
	// Metrics reports whether Liqo's gateways serve their metrics, in their pods.
	Metrics bool
}

// HasLiqo reports whether Liqo is installed.
func (s Spec) HasLiqo() bool { return s.Liqo != binaries.LiqoRelease{} }

// Installation is what clusters with the same versions of Kubernetes and Liqo run.
type Installation struct {
	Programs map[string]string // the file of each program by its name
	Chart    *Chart            // Liqo's; nil without Liqo
}

// Options says how to run a cluster.
type Options struct {
	Spec
	// Number identifies a cluster of a lab, from 0 on. It makes the addresses unique at which
	// the clusters reach each other.
	Number int
	// Data and Logs are the cluster's folders.
	Data, Logs string
	// Peerable reports whether the cluster can be peered with others, not only joined to them by a
	// network. Then Liqo's authentication and offloading are on, with everything that they need.
	Peerable bool
	// Installation is what the cluster runs. Install returns the one for another version of Liqo.
	Installation
	Install   func(context.Context, Spec) (Installation, error)
	DataPlane dataplane.DataPlane
	Settings  *kubelet.Settings
	// Report is called for each completed step.
	Report func(step string, took time.Duration)
}

// Cluster is a running leaf. Its methods are safe for concurrent use.
type Cluster struct {
	Options
	// Etcd is where the cluster's etcd is.
	Etcd labdir.Etcd

	plane     *envtest.ControlPlane
	authority *authority
	// config has the administrator's credentials, which the cluster itself uses. operator has those
	// of the lab's user.
	config, operator *rest.Config
	client           client.WithWatch

	podIPs, balancerIPs *kubelet.Pool

	// webhook has the certificates and the port of Liqo's webhook server, ipam the address of its
	// IPAM.
	webhook *envtest.WebhookInstallOptions
	ipam    string

	// changing serialises stopping and starting parts of the cluster.
	changing sync.Mutex
	// controllers is everything that connects to the API server; nil while that is stopped.
	controllers *controllers
	// liqoStopped reports whether Liqo's controllers were stopped on request.
	liqoStopped bool
}

// step is one step to a ready cluster.
type step struct {
	name string
	run  func(context.Context) error
}

// New prepares a cluster; nothing runs yet.
func New(options Options) (*Cluster, error) {
	c := &Cluster{
		Options: options,
		// Two clusters may have the same network. Liqo's gateway mistakes a packet from a pod for
		// its own if its pod has the same address.
		podIPs: kubelet.NewPool(options.PodCIDR, podsApart*options.Number),
		// A network of documentation addresses would be too small for a node and a load balancer of
		// each of many clusters.
		balancerIPs: kubelet.NewPool(
			netip.PrefixFrom(netip.AddrFrom4([4]byte{172, 18, byte(200 + options.Number), 0}), 24), 0),
	}
	for _, folder := range []string{c.Data, c.Logs} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Start starts the cluster and returns when it is ready. On an error, the started parts continue to
// run until Stop.
func (c *Cluster) Start(ctx context.Context) error {
	c.changing.Lock()
	defer c.changing.Unlock()
	steps := []step{{"kube-apiserver", c.startControlPlane}}
	if c.HasLiqo() {
		steps = append(steps, step{"custom resources of Liqo", c.awaitCRDs})
	}
	steps = append(steps, step{"nodes", c.createNodes})
	if err := c.do(ctx, steps...); err != nil {
		return err
	}
	return c.startControllers(ctx, c.installChart)
}

// do runs steps one after the other.
func (c *Cluster) do(ctx context.Context, steps ...step) error {
	for _, s := range steps {
		start := time.Now()
		if err := s.run(ctx); err != nil {
			return fmt.Errorf("cluster %s: %s: %w", c.Name, s.name, err)
		}
		c.Report(s.name, time.Since(start))
	}
	return nil
}

// together runs independent steps in parallel.
func (c *Cluster) together(ctx context.Context, steps ...step) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range steps {
		group.Go(func() error { return c.do(ctx, s) })
	}
	return group.Wait()
}

// Config returns the credentials of an administrator.
func (c *Cluster) Config() *rest.Config { return rest.CopyConfig(c.config) }

func (c *Cluster) log(name string) string { return filepath.Join(c.Logs, name+".log") }

// Stop ends the parts of the cluster that run in the lab itself. The caller ends the child
// processes.
func (c *Cluster) Stop() {
	c.changing.Lock()
	defer c.changing.Unlock()
	if c.controllers != nil {
		c.controllers.abandon()
	}
}

// StopAPIServer stops kube-apiserver. Before that it stops everything in the cluster that needs it.
func (c *Cluster) StopAPIServer(ctx context.Context) error {
	c.changing.Lock()
	defer c.changing.Unlock()
	if c.controllers == nil {
		return nil
	}
	c.controllers.stop(ctx)
	c.controllers = nil
	return c.plane.APIServer.Stop()
}

// StartAPIServer starts kube-apiserver again, with the same address and data, and everything that
// needs it. It returns when Liqo works again.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	c.changing.Lock()
	defer c.changing.Unlock()
	if c.controllers != nil {
		return nil
	}
	if err := c.startAPIServer(); err != nil {
		return fmt.Errorf("cluster %s: %w", c.Name, err)
	}
	return c.startControllers(ctx, nil)
}
