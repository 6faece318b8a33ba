package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/fleet"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
)

// newFleet returns the command that runs leaves that are no clusters.
func newFleet() *cobra.Command {
	return &cobra.Command{
		Use:   "fleet",
		Short: "Run leaves that are no clusters, for programs that test the provider",
		Long: "Each line of stdin starts a fleet: name=podCIDR[,external=CIDR][,service=CIDR][,no-liqo] for each leaf, " +
			"with spaces between them.\n" +
			"The answer is one line of JSON with a list of the leaves. All fleets end at the end of stdin.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := silence(); err != nil {
				return err
			}
			standard, err := standardCluster(command.Context())
			if err != nil {
				return err
			}
			standard.ExternalCIDR = netip.Prefix{} // each leaf of a fleet has one of its own
			served := make(chan error, 1)
			go func() { served <- serveFleets(command.Context(), standard, os.Stdin, os.Stdout) }()
			select {
			case err := <-served:
				return err
			case <-command.Context().Done(): // the fleets end with the process
				return context.Cause(command.Context())
			}
		},
	}
}

// serveFleets starts a fleet for each line, and stops them all at the end of the lines.
func serveFleets(ctx context.Context, standard kube.Spec, questions io.Reader, answers io.Writer) error {
	source, err := binaries.LiqoSource(ctx, standard.Liqo)
	if err != nil {
		return err
	}
	installation, err := fleet.Load(kube.LoadChart(source), standard.Liqo)
	if err != nil {
		return err
	}
	var fleets []*fleet.Fleet
	for lines := bufio.NewScanner(questions); err == nil && lines.Scan(); {
		var specs []kube.Spec
		if specs, err = parseLeaves(ctx, strings.Fields(lines.Text()), standard); err != nil {
			break
		}
		var started *fleet.Fleet
		if started, err = installation.Start(specs); err == nil {
			fleets = append(fleets, started)
			err = json.NewEncoder(answers).Encode(leavesOf(started))
		}
	}
	for _, started := range fleets {
		err = errors.Join(err, started.Close())
	}
	return err
}

// parseLeaves parses the leaves of a line.
func parseLeaves(ctx context.Context, values []string, standard kube.Spec) ([]kube.Spec, error) {
	specs := make([]kube.Spec, len(values))
	for i, value := range values {
		c, err := parseCluster(ctx, value, standard)
		if err == nil && c.HasLiqo() && c.Liqo != standard.Liqo {
			err = errors.New("all leaves of a fleet have the same release of Liqo")
		}
		if err != nil {
			return nil, fmt.Errorf("leaf %s: %w", value, err)
		}
		specs[i] = c
	}
	return specs, nil
}

// leafOfFleet is how programs learn of a leaf.
type leafOfFleet struct {
	Name                 string `json:"name"`
	Server               string `json:"server"`
	CertificateAuthority string `json:"certificateAuthority"`
	Token                string `json:"token"`
	PodCIDR              string `json:"podCIDR"`
	ExternalCIDR         string `json:"externalCIDR"`
}

func leavesOf(started *fleet.Fleet) []leafOfFleet {
	leaves := make([]leafOfFleet, len(started.Specs))
	for i, spec := range started.Specs {
		cluster := started.Kubeconfig.Clusters[spec.Name]
		leaves[i] = leafOfFleet{
			spec.Name, cluster.Server, string(cluster.CertificateAuthorityData), started.Kubeconfig.AuthInfos[spec.Name].Token,
			spec.PodCIDR.String(), spec.ExternalCIDR.String(),
		}
	}
	return leaves
}
