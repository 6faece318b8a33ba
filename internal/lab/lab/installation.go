package lab

import (
	"context"
	"fmt"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/liqo"
)

// installation is what the clusters with one version of Liqo run.
type installation struct {
	programs map[string]string // files by name
	chart    *cluster.Chart    // nil without Liqo
}

// install returns an installation for each version of Liqo that a cluster has. It builds only what
// these clusters run.
func (o Options) install(ctx context.Context) (map[liqo.Version]installation, error) {
	installations := map[liqo.Version]installation{}
	for _, c := range o.Clusters {
		if _, done := installations[c.Liqo]; done {
			continue
		}
		var err error
		if installations[c.Liqo], err = o.installVersion(ctx, c.Spec); err != nil {
			return nil, err
		}
	}
	return installations, nil
}

// installVersion returns the installation for a cluster.
func (o Options) installVersion(ctx context.Context, spec cluster.Spec) (installation, error) {
	var i installation
	needed := binaries.Cluster()
	if spec.HasLiqo() {
		source, err := binaries.LiqoSource(ctx, spec.Liqo)
		if err != nil {
			return i, fmt.Errorf("cluster %s: Liqo %s: %w", spec.Name, spec.Liqo, err)
		}
		i.chart = cluster.LoadChart(source)
		needed = append(needed, binaries.Liqo(spec.Liqo)...)
		if o.Peerable {
			needed = append(needed, binaries.Peering(spec.Liqo)...)
		}
		if o.DataPlane == Real {
			needed = append(needed, binaries.DataPlane(spec.Liqo)...)
		}
	}
	var err error
	i.programs, err = binaries.Build(ctx, o.Report, needed...)
	return i, err
}
