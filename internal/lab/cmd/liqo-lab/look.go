package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/inspect"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/progress"
)

func newGet(c *cli) *cobra.Command {
	return c.onState(&cobra.Command{
		Use:     "get RESOURCE",
		Short:   "Show the objects of a type in all clusters, as kubectl would",
		Example: "  liqo-lab get connections",
		Args:    cobra.ExactArgs(1),
	}, func(command *cobra.Command, state labdir.State, args []string) error {
		return inspect.Get(command.Context(), os.Stdout, state.Clusters, args[0])
	})
}

func newInventory(c *cli) *cobra.Command {
	return c.onState(&cobra.Command{
		Use:   "inventory",
		Short: "List every object in every cluster",
		Long: "List every object in every cluster, one line each, sorted: cluster group/resource namespace/name.\n" +
			"Events and leases are left out, and what Liqo keeps for good once a cluster has had its first gateway.",
		Args: cobra.NoArgs,
	}, func(command *cobra.Command, state labdir.State, _ []string) error {
		lines, err := inspect.Inventory(command.Context(), state.Clusters)
		if err != nil {
			return err
		}
		for _, line := range lines {
			fmt.Println(line)
		}
		return nil
	})
}

func newRequests(c *cli) *cobra.Command {
	return c.onState(&cobra.Command{
		Use:   "requests",
		Short: "Count the requests that used the kubeconfig of all clusters",
		Long: "Count the requests to the API servers that were made with the kubeconfig of all clusters " +
			"since the lab started, one line for\n" +
			"each kind, sorted: cluster verb resource count. Those of the clusters' own programs are not among them.",
		Args: cobra.NoArgs,
	}, func(_ *cobra.Command, state labdir.State, _ []string) error {
		counts, err := inspect.Requests(state.Clusters)
		if err != nil {
			return err
		}
		for _, request := range inspect.SortedRequests(counts) {
			fmt.Println(request.Cluster, request.Verb, request.Resource, counts[request])
		}
		return nil
	})
}

func newBuild() *cobra.Command {
	var liqoctl, openTofu, terraform, peering, dataPlane bool
	var release string
	command := &cobra.Command{
		Use:   "build",
		Short: "Build the programs of a lab, and print where they are",
		Long: "Build the programs of a lab, or those that are asked for, unless the cache has them, " +
			"and print where they are.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			liqo, err := releaseOrDefault(command.Context(), release)
			if err != nil {
				return err
			}
			var programs []binaries.Program
			if liqoctl {
				programs = append(programs, binaries.Liqoctl.At(liqo))
			}
			if openTofu {
				programs = append(programs, binaries.OpenTofu)
			}
			if terraform {
				programs = append(programs, binaries.Terraform)
			}
			if peering {
				programs = append(programs, binaries.Peering(liqo)...)
			}
			if dataPlane {
				programs = append(programs, binaries.DataPlane(liqo)...)
			}
			if len(programs) == 0 {
				programs = append(binaries.Cluster(""), binaries.Liqo(liqo)...)
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
	command.Flags().StringVar(&release, "liqo", "",
		"the release of Liqo: a version, such as v1.1.2, or a folder with its sources, such as ./liqo (default: $"+
			liqoVariable+", or else the version that the lab pins)")
	command.Flags().BoolVar(&liqoctl, "liqoctl", false, "build liqoctl")
	command.Flags().BoolVar(&openTofu, "opentofu", false, "build OpenTofu")
	command.Flags().BoolVar(&terraform, "terraform", false, "build a Terraform that is new enough for queries and actions")
	command.Flags().BoolVar(&peering, "peering", false, "build what clusters need in addition to be peered")
	command.Flags().BoolVar(&dataPlane, "data-plane", false, "build what the real data plane needs in addition")
	return command
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
