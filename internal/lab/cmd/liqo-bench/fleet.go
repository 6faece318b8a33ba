package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/figures"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/fleet"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
)

// parseFleets parses the sizes of fleets, such as 30x435 for 30 leaves and 435 shortcuts.
func parseFleets(text string) ([]figures.FleetSize, error) {
	var sizes []figures.FleetSize
	for one := range strings.SplitSeq(text, ",") {
		var size figures.FleetSize
		_, err := fmt.Sscanf(one, "%dx%d", &size.Leaves, &size.Shortcuts)
		most := size.Leaves * (size.Leaves - 1) / 2
		if err != nil || size.Leaves%2 != 0 || size.Leaves > fleet.Most || size.Shortcuts < 1 || size.Shortcuts > most {
			return nil, fmt.Errorf("-fleets: %q is no fleet: up to %d leaves, an even number, and shortcuts between them, "+
				"such as 30x435", one, fleet.Most)
		}
		sizes = append(sizes, size)
	}
	return sizes, nil
}

// measureFleet measures fleets of leaves that are no clusters.
func (b *bench) measureFleet(ctx context.Context, _ *leaves) error {
	version, err := binaries.DefaultLiqo()
	if err != nil {
		return err
	}
	source, err := binaries.LiqoSource(ctx, version)
	if err != nil {
		return err
	}
	installation, err := fleet.Load(kube.LoadChart(source), version)
	if err != nil {
		return err
	}
	for _, size := range b.fleets {
		names := make([]string, size.Leaves)
		for i := range names {
			names[i] = fmt.Sprintf("leaf%03d", i+1)
		}
		leaves, err := installation.Start(fleet.Disjoint(names, version))
		if err != nil {
			return err
		}
		measured := b.measureOneFleet(ctx, leaves, size, rounds(names, size.Shortcuts))
		if err := errors.Join(measured, leaves.Close()); err != nil {
			return fmt.Errorf("%d leaves, %d shortcuts: %w", size.Leaves, size.Shortcuts, err)
		}
	}
	b.addFleets()
	return nil
}

// measureOneFleet measures the life of the shortcuts between these pairs.
func (b *bench) measureOneFleet(
	ctx context.Context, leaves *fleet.Fleet, size figures.FleetSize, pairs []pair,
) error {
	life, err := b.newFleetLife(leaves, size, pairs)
	if err != nil {
		return err
	}
	for _, c := range fleetCommands {
		run, err := b.measureFleetCommand(ctx, life, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		b.found.Fleets = append(b.found.Fleets, run)
		b.report.Say("%d leaves, %d shortcuts: %s took %.2fs", size.Leaves, size.Shortcuts, c.name, run.Seconds)
	}
	return nil
}

// edit changes the MTU of a pair's gateway behind Terraform's back.
func edit(ctx context.Context, kubeconfig string, p pair) error {
	config, err := contextConfig(kubeconfig, p.Server)
	if err != nil {
		return err
	}
	leaf, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	_, err = leaf.Resource(networkingv1beta1.GatewayServerGroupVersionResource).Namespace("liqo-tenant-"+p.Client).
		Patch(ctx, p.Client, types.MergePatchType, []byte(`{"spec":{"mtu":1300}}`), metav1.PatchOptions{})
	return err
}
