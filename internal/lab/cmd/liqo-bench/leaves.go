package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/inspect"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/programs"
)

// leaves are the clusters of one lab, and both ways to join them.
type leaves struct {
	clusters *programs.Clusters
	names    []string
	ours     *ours
	theirs   *theirs
	before   []string // inventory, before anything was done
}

// startLeaves starts a lab with that number of leaves.
func (b *bench) startLeaves(ctx context.Context, count int) (_ *leaves, err error) {
	options := make([]string, count)
	for i := range options {
		options[i] = fmt.Sprintf("--cluster=leaf%d=10.%d.0.0/16", i+1, 200+i)
	}
	name := fmt.Sprintf("lab-%d", count)
	clusters, err := programs.StartClusters(ctx, os.Stderr, b.lab, filepath.Join(b.dir, name), options...)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, clusters.Stop())
		}
	}()
	l := &leaves{
		clusters: clusters,
		theirs: &theirs{
			liqoctl:    b.liqoctl,
			kubeconfig: clusters.Kubeconfig,
			leaves:     map[string]*leaf{},
		},
	}
	for _, c := range clusters.Clusters {
		l.names = append(l.names, c.Name)
		if l.theirs.leaves[c.Name], err = newLeaf(clusters.Kubeconfig, c.Name); err != nil {
			return nil, err
		}
	}
	l.ours, err = newOurs(b.cli, filepath.Join(b.dir, "terraform-"+name), filepath.Dir(b.provider), clusters.Kubeconfig,
		configuration)
	if err != nil {
		return nil, err
	}
	l.before, err = clusters.Inventory(ctx)
	return l, err
}

// nothingIsLeft fails if the clusters have other objects than at the start. Then the work was not
// done, and its figure would be worthless.
func (l *leaves) nothingIsLeft(ctx context.Context) error {
	after, err := l.clusters.Inventory(ctx)
	if err != nil {
		return err
	}
	difference := inspect.Compare(l.before, after)
	if difference.Empty() {
		return nil
	}
	return fmt.Errorf("the clusters are not as they were before:\n%s", strings.Join(difference.Lines(), "\n"))
}
