package lab

import (
	"context"
	"errors"
	"fmt"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	realplane "github.com/leafmesh/terraform-provider-liqo/internal/lab/dataplane/real"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/progress"
)

// Options configure a lab.
type Options struct {
	// Dir is the folder of the lab.
	Dir      string
	Clusters []kube.Spec
	// Peerable reports whether the clusters can be peered; see kube.Options.
	Peerable bool
	// DataPlane carries packets between gateways.
	DataPlane DataPlane
	// Guard is the command that cleans up after the lab if it is killed. Its stdin is a pipe that
	// ends with the lab.
	Guard []string
	// Helper is the file of liqo-pod, the program that runs in pods and nodes.
	Helper string
	Report *progress.Reporter
}

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

// DataPlane is a kind of data plane.
type DataPlane string

// The data planes of a lab. Auto is the real one if the machine supports it.
const (
	Simulated DataPlane = "simulated"
	Real      DataPlane = "real"
	Auto      DataPlane = "auto"
)

// Choose returns Simulated or Real. The error says what the machine lacks for the requested data
// plane. Helper is the file of liqo-pod.
func (d DataPlane) Choose(helper string) (DataPlane, error) {
	switch d {
	case Simulated:
		return Simulated, nil
	case Real:
		return Real, realplane.Check(helper)
	case Auto:
		if possible := realplane.Check(helper) == nil; possible {
			return Real, nil
		}
		return Simulated, nil
	}
	return d, fmt.Errorf("unknown data plane %q: it must be simulated, real or auto", d)
}

// Real returns the real data plane. It fails if the lab has a simulated one.
func (l *Lab) Real() (*realplane.Real, error) {
	if l.real == nil {
		return nil, errors.New("the data plane of this lab is simulated: it runs no pods and carries no packets; " +
			"start the lab with --dataplane=real")
	}
	return l.real, nil
}
