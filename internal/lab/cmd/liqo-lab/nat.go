package main

import (
	"context"
	"encoding/json"
	"net/netip"
	"os"

	"github.com/spf13/cobra"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/control"
)

func newNAT(folder func() (string, error)) *cobra.Command {
	return &cobra.Command{
		Use:   "renew-nat",
		Short: "Give the NAT another address",
		Long: "Give the NAT another address, as a router gets one when it dials in again, and print it. It forgets its\n" +
			"connections. The addresses of the nodes behind it stay. It needs a lab with --dataplane=real.",
		Args: cobra.NoArgs,
		RunE: onLab(folder, func(ctx context.Context, lab *control.Client, _ []string) error {
			address, err := lab.RenewNAT(ctx)
			if err != nil {
				return err
			}
			return json.NewEncoder(os.Stdout).Encode(map[string]netip.Addr{"address": address})
		}),
	}
}
