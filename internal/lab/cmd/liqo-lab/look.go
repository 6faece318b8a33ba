package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/inspect"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/progress"
)

// stateOf returns the state of the lab in the folder. It returns labdir.ErrNoLab if no lab there is
// ready.
func stateOf(folder func() (string, error)) (labdir.State, error) {
	dir, err := folder()
	if err != nil {
		return labdir.State{}, err
	}
	return labdir.ReadState(dir)
}

func newGet(folder func() (string, error)) *cobra.Command {
	var name string
	var wide bool
	command := &cobra.Command{
		Use:     "get RESOURCE",
		Short:   "Show the objects of a type in all clusters, as kubectl would",
		Example: "  liqo-lab get connections\n  liqo-lab get gatewayservers --cluster milan",
		Args:    cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			state, err := stateOf(folder)
			if err != nil {
				return err
			}
			clusters := state.Clusters
			if name != "" {
				if clusters = only(clusters, name); len(clusters) == 0 {
					return fmt.Errorf("the lab has no cluster %q", name)
				}
			}
			return inspect.Get(command.Context(), os.Stdout, clusters, args[0], wide)
		},
	}
	command.Flags().StringVar(&name, "cluster", "", "show only this cluster")
	command.Flags().BoolVar(&wide, "wide", false, "show all columns")
	return command
}

func only(clusters []labdir.Cluster, name string) []labdir.Cluster {
	for _, c := range clusters {
		if c.Name == name {
			return []labdir.Cluster{c}
		}
	}
	return nil
}

func newInventory(folder func() (string, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "inventory",
		Short: "List every object in every cluster",
		Long: "List every object in every cluster, one line each, sorted: cluster group/resource namespace/name.\n" +
			"Events and leases are left out, and what Liqo keeps for good once a cluster has had its first gateway.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			state, err := stateOf(folder)
			if err != nil {
				return err
			}
			lines, err := inspect.Inventory(command.Context(), state.Clusters)
			if err != nil {
				return err
			}
			for _, line := range lines {
				fmt.Println(line)
			}
			return nil
		},
	}
}

func newRequests(folder func() (string, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "requests",
		Short: "Count the requests that used the kubeconfig of all clusters",
		Long: "Count the requests to the API servers that were made with the kubeconfig of all clusters " +
			"since the lab started, one line for\n" +
			"each kind, sorted: cluster verb resource count. Those of the clusters' own programs are not among them.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			state, err := stateOf(folder)
			if err != nil {
				return err
			}
			counts, err := inspect.Requests(state.Clusters)
			if err != nil {
				return err
			}
			for _, request := range inspect.SortedRequests(counts) {
				fmt.Println(request.Cluster, request.Verb, request.Resource, counts[request])
			}
			return nil
		},
	}
}

func newBuild() *cobra.Command {
	var liqoctl, openTofu, terraform, peering, dataPlane bool
	var release, kubernetes string
	command := &cobra.Command{
		Use:   "build",
		Short: "Build the programs of a lab, and print where they are",
		Long: "Build the programs of a lab, or those that are asked for, unless the cache has them, " +
			"and print where they are.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			installed, err := installedVersions(command.Context(), kubernetes, release)
			if err != nil {
				return err
			}
			var programs []binaries.Program
			if liqoctl {
				programs = append(programs, binaries.Liqoctl.At(installed.Liqo))
			}
			if openTofu {
				programs = append(programs, binaries.OpenTofu)
			}
			if terraform {
				programs = append(programs, binaries.Terraform)
			}
			if peering {
				programs = append(programs, binaries.Peering(installed.Liqo)...)
			}
			if dataPlane {
				programs = append(programs, binaries.DataPlane(installed.Liqo)...)
			}
			if len(programs) == 0 {
				programs = append(binaries.Cluster(installed.Kubernetes), binaries.Liqo(installed.Liqo)...)
			}
			files, err := binaries.Build(command.Context(), progress.New(os.Stderr), programs...)
			if err != nil {
				return err
			}
			for _, program := range programs {
				fmt.Println(files[program.Name])
			}
			return nil
		},
	}
	command.Flags().StringVar(&release, "liqo", "", liqoHelp)
	command.Flags().StringVar(&kubernetes, "kubernetes", "",
		"the version of Kubernetes, such as v1.36.3 (default: that of the clusters)")
	command.Flags().BoolVar(&liqoctl, "liqoctl", false, "build liqoctl")
	command.Flags().BoolVar(&openTofu, "opentofu", false, "build OpenTofu")
	command.Flags().BoolVar(&terraform, "terraform", false, "build a Terraform that is new enough for queries and actions")
	command.Flags().BoolVar(&peering, "peering", false, "build what clusters need in addition to be peered")
	command.Flags().BoolVar(&dataPlane, "data-plane", false, "build what the real data plane needs in addition")
	return command
}

// installedVersions returns a cluster with this version of Kubernetes and this release of Liqo. An empty one is that
// of clusters that request none.
func installedVersions(ctx context.Context, kubernetes, release string) (kube.Spec, error) {
	installed, err := standardCluster(ctx, release)
	if err == nil && kubernetes != "" {
		installed.Kubernetes, err = binaries.ParseKubernetes(kubernetes)
	}
	return installed, err
}

// newCheck tries out what a lab with the real data plane needs of the machine.
func newCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Fail if this machine does not support the real data plane, and say why",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			helper, err := podProgram()
			if err != nil {
				return err
			}
			_, err = lab.Real.Choose(helper)
			return err
		},
	}
}
