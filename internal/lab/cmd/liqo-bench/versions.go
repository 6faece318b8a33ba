package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/cmd/liqo-bench/figures"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/programs"
)

// versions are the versions of all programs that take part.
func (b *bench) versions(ctx context.Context) ([]figures.Version, error) {
	provider, err := b.providerVersion(ctx)
	if err != nil {
		return nil, err
	}
	cli, err := b.cliVersion(ctx)
	if err != nil {
		return nil, err
	}
	liqo, err := binaries.DefaultLiqo()
	if err != nil {
		return nil, err
	}
	kubernetes, err := binaries.DefaultKubernetes()
	if err != nil {
		return nil, err
	}
	return []figures.Version{
		{Program: "the provider", Version: provider},
		cli,
		{Program: "Liqo and liqoctl", Version: string(liqo)},
		{Program: "Kubernetes", Version: kubernetes},
		{Program: "Go", Version: strings.TrimPrefix(runtime.Version(), "go")},
	}, nil
}

// providerVersion returns the version and the commit that the provider reports.
func (b *bench) providerVersion(ctx context.Context) (string, error) {
	out, err := programs.Command(ctx, b.provider, "-version").Output()
	if err != nil {
		return "", fmt.Errorf("%s -version: %w", b.provider, err)
	}
	_, version, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	return version, nil
}

// cliVersion returns the version of Terraform or OpenTofu.
func (b *bench) cliVersion(ctx context.Context) (figures.Version, error) {
	cmd := programs.Command(ctx, b.cli, "version", "-json")
	// Neither the user's settings nor a newer version matter here.
	cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+os.DevNull, "CHECKPOINT_DISABLE=1")
	out, err := cmd.Output()
	if err != nil {
		return figures.Version{}, fmt.Errorf("%s version: %w", b.cli, err)
	}
	var answer struct {
		Version string `json:"terraform_version"` // OpenTofu calls it the same
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return figures.Version{}, fmt.Errorf("%s version: %w", b.cli, err)
	}
	name := "Terraform"
	if filepath.Base(b.cli) == binaries.OpenTofu.Name {
		name = "OpenTofu"
	}
	return figures.Version{Program: name, Version: answer.Version}, nil
}
