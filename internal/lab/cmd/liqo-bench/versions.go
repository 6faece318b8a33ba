package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/programs"
)

// versions returns the names and versions of all programs that take part.
func (b *bench) versions(ctx context.Context) ([]string, error) {
	provider, err := firstLine(ctx, b.provider, "-version")
	if err != nil {
		return nil, err
	}
	_, version, _ := strings.Cut(provider, " ")
	cli, err := firstLine(ctx, b.cli, "version")
	if err != nil {
		return nil, err
	}
	liqo, err := binaries.DefaultLiqo()
	if err != nil {
		return nil, err
	}
	kubernetes, err := binaries.DefaultKubernetes()
	return []string{
		"the provider " + version, cli, "Liqo and liqoctl " + string(liqo.Version), "Kubernetes " + kubernetes,
		"Go " + strings.TrimPrefix(runtime.Version(), "go"),
	}, err
}

// firstLine returns the first line that a program prints. It prints nothing of newer versions of itself.
func firstLine(ctx context.Context, program string, args ...string) (string, error) {
	cmd := programs.Command(ctx, program, args...)
	cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+os.DevNull, "CHECKPOINT_DISABLE=1")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", program, strings.Join(args, " "), err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line, nil
}
