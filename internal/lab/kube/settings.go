package kube

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kubelet"
)

// SettingsHelp lists the settings that Set can change.
const SettingsHelp = "lost-nodes = names of nodes that are cut off, such as rome-node,rome-node-2, or nothing; " +
	"load-balancer, schedulable, pull-image, connect, mute = true or false; " +
	"liqo = running, stopped, a version such as v1.1.2 or a folder with sources; " +
	"gateway-ready-after, gateway-reported-after, pod-started-after, pod-reported-after = a duration such as 5s"

// Set changes the behaviour of the cluster, by the name of a setting.
func (c *Cluster) Set(ctx context.Context, key, value string) error {
	var err error
	switch key {
	case "lost-nodes":
		if err = c.checkNodes(kubelet.NodeNames(value)); err == nil {
			err = c.Settings.Set(key, value)
		}
	case "schedulable":
		var schedulable bool
		if schedulable, err = strconv.ParseBool(value); err == nil {
			err = c.setUnschedulable(ctx, !schedulable)
		}
	case "liqo":
		if value == "running" || value == "stopped" {
			return c.SetLiqo(ctx, value == "running")
		}
		var release binaries.LiqoRelease
		if release, err = binaries.ParseLiqo(ctx, value); err == nil {
			return c.changeRelease(ctx, release)
		}
	default:
		err = c.Settings.Set(key, value)
	}
	if err != nil {
		return fmt.Errorf("%w (settings: %s)", err, SettingsHelp)
	}
	return nil
}

// Health is the state of a cluster at one moment.
type Health struct {
	// APIServer is running, stopped (on request) or failing. Liqo is running, stopped (on request)
	// or none. Both are changing while a part of the cluster starts or stops, which may take minutes.
	APIServer string `json:"apiServer"`
	Liqo      string `json:"liqo"`
	// Restarts counts how often each program ended by itself and was started again, by name.
	Restarts map[string]int `json:"restarts,omitempty"`
}

// Health returns the state of the cluster.
func (c *Cluster) Health(ctx context.Context) Health {
	if !c.changing.TryLock() {
		return Health{APIServer: "changing", Liqo: "changing"}
	}
	defer c.changing.Unlock()
	health := Health{APIServer: "running", Liqo: "running", Restarts: map[string]int{}}
	switch {
	case !c.HasLiqo():
		health.Liqo = "none"
	case c.liqoStopped || c.controllers == nil:
		health.Liqo = "stopped"
	}
	if c.controllers == nil {
		health.APIServer = "stopped"
		return health
	}
	var node corev1.Node
	if err := c.client.Get(ctx, c.firstNode(), &node); err != nil {
		health.APIServer = "failing: " + strings.TrimSpace(err.Error())
	}
	c.controllers.mu.Lock()
	defer c.controllers.mu.Unlock()
	for name, p := range c.controllers.processes {
		if n := p.Restarts(); n > 0 {
			health.Restarts[name] = n
		}
	}
	return health
}

// changeRelease installs another release of Liqo, newer or older, over the present one, as Helm does: first the
// custom resource definitions and the chart, while the present programs run, and then the programs. What only the
// present version has stays. The node's fabric runs on as it is.
func (c *Cluster) changeRelease(ctx context.Context, release binaries.LiqoRelease) error {
	c.changing.Lock()
	defer c.changing.Unlock()
	if !c.HasLiqo() || c.controllers == nil {
		return fmt.Errorf("cluster %s has no Liqo, or its API server is stopped", c.Name)
	}
	if c.Liqo == release {
		return nil
	}
	spec := c.Spec
	spec.Liqo = release
	installation, err := c.Install(ctx, spec)
	if err != nil {
		return err
	}
	c.Spec, c.Installation = spec, installation
	err = c.do(ctx, step{"custom resources of Liqo", c.changeCRDs}, step{"chart of Liqo", c.installChart})
	if err != nil {
		return err
	}
	c.controllers.stop(ctx)
	return c.startControllers(ctx, nil)
}

// Release returns the release of Liqo as it is now, or an empty one.
func (c *Cluster) Release() binaries.LiqoRelease {
	c.changing.Lock()
	defer c.changing.Unlock()
	return c.Liqo
}
