package kube

import (
	"context"
	"fmt"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
)

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
