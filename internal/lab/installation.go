package lab

import (
	"context"
	"fmt"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
)

// versions are what clusters with the same installation have in common.
type versions struct {
	kubernetes string
	liqo       binaries.LiqoRelease
}

func versionsOf(spec kube.Spec) versions { return versions{spec.Kubernetes, spec.Liqo} }

// Build builds the programs that a lab with these options runs, unless the cache has them.
func (o Options) Build(ctx context.Context) error {
	_, err := o.install(ctx)
	return err
}

// install returns an installation for each pair of versions that a cluster has. It builds only what
// these clusters run.
func (o Options) install(ctx context.Context) (map[versions]kube.Installation, error) {
	installations := map[versions]kube.Installation{}
	for _, c := range o.Clusters {
		if _, done := installations[versionsOf(c)]; done {
			continue
		}
		var err error
		if installations[versionsOf(c)], err = o.installVersions(ctx, c); err != nil {
			return nil, err
		}
	}
	return installations, nil
}

// installVersions returns the installation for a cluster.
func (o Options) installVersions(ctx context.Context, spec kube.Spec) (kube.Installation, error) {
	var i kube.Installation
	needed := binaries.Cluster(spec.Kubernetes)
	if spec.HasLiqo() {
		source, err := binaries.LiqoSource(ctx, spec.Liqo)
		if err != nil {
			return i, fmt.Errorf("cluster %s: Liqo %s: %w", spec.Name, spec.Liqo.Version, err)
		}
		i.Chart = kube.LoadChart(source)
		needed = append(needed, binaries.Liqo(spec.Liqo)...)
		if o.Peerable {
			needed = append(needed, binaries.Peering(spec.Liqo)...)
		}
		if o.DataPlane == Real {
			needed = append(needed, binaries.DataPlane(spec.Liqo)...)
		}
	}
	var err error
	i.Programs, err = binaries.Build(ctx, o.Report, needed...)
	return i, err
}
