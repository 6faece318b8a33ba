package main

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/programs"
)

//go:embed shortcuts.tf
var configuration embed.FS

//go:embed views.tf
var views embed.FS

// ours joins leaves with Terraform and the provider.
type ours struct {
	terraform *programs.Terraform
	dir       string
}

//go:embed topology.tf
var fleetView embed.FS

// newOurs prepares Terraform with a configuration for the leaves of a kubeconfig, in a new folder.
// Provider is the provider's folder.
func newOurs(cli, dir, provider, kubeconfig string, configuration fs.FS) (*ours, error) {
	terraform, err := programs.NewTerraform(cli, dir, provider, configuration)
	if err != nil {
		return nil, err
	}
	terraform.Set("TF_VAR_kubeconfig", kubeconfig)
	terraform.Set("TF_LOG", "") // logging would change the figures
	terraform.Set("TF_LOG_CORE", "")
	terraform.Set("TF_LOG_PROVIDER", "")
	return &ours{terraform: terraform, dir: dir}, nil
}

// applied is the durations of one `terraform apply`.
type applied struct {
	whole time.Duration // from the start of the program to its end
	// operations has, for each resource, the time between Terraform's first and last message about
	// it, in the order in which the resources end.
	operations []time.Duration
}

// choose makes later commands be about these pairs and no others.
func (o *ours) choose(pairs []pair) error {
	shortcuts := map[string]pair{}
	for _, p := range pairs {
		shortcuts[p.String()] = p
	}
	variables, err := json.Marshal(map[string]any{"shortcuts": shortcuts})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.dir, "bench.auto.tfvars.json"), variables, 0o600)
}

// apply makes Terraform join these pairs and no others, in one command.
func (o *ours) apply(ctx context.Context, pairs []pair) (applied, error) {
	if err := o.choose(pairs); err != nil {
		return applied{}, err
	}
	output, whole, err := timed(o.terraform.Command(ctx, "apply", "-auto-approve", "-json"))
	if err != nil {
		return applied{}, err
	}
	operations, err := operationTimes(output)
	return applied{whole, operations}, err
}

// destroy returns the duration of `terraform destroy`.
func (o *ours) destroy(ctx context.Context) (time.Duration, error) {
	_, took, err := timed(o.terraform.Command(ctx, "destroy", "-auto-approve"))
	return took, err
}

// plan returns the duration of `terraform plan`. It fails if there is anything to change.
func (o *ours) plan(ctx context.Context) (time.Duration, error) {
	_, took, err := timed(o.emptyPlan(ctx))
	return took, err
}

// emptyPlan is a `terraform plan` that fails if there is anything to change.
func (o *ours) emptyPlan(ctx context.Context) *exec.Cmd {
	return o.terraform.Command(ctx, "plan", "-detailed-exitcode")
}

// planNew returns the duration of `terraform plan` for these pairs, which are not joined yet.
func (o *ours) planNew(ctx context.Context, pairs []pair) (time.Duration, error) {
	if err := o.choose(pairs); err != nil {
		return 0, err
	}
	_, took, err := timed(o.terraform.Command(ctx, "plan"))
	return took, err
}

// importPair returns the duration of `terraform import` for a pair that is joined. Then it removes the
// state, so that the shortcut is not imported any more.
func (o *ours) importPair(ctx context.Context, p pair) (time.Duration, error) {
	if err := o.choose([]pair{p}); err != nil {
		return 0, err
	}
	address := fmt.Sprintf("liqo_shortcut.mesh[%q]", p)
	_, took, err := timed(o.terraform.Command(ctx, "import", address, p.Client+"/"+p.Server))
	if err != nil {
		return 0, err
	}
	return took, os.Remove(filepath.Join(o.dir, "terraform.tfstate"))
}

// timed runs a program and returns its output and its duration. The error has the output.
func timed(cmd *exec.Cmd) ([]byte, time.Duration, error) {
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil {
		return nil, took, fmt.Errorf("%s %s: %w\n%s", filepath.Base(cmd.Path), cmd.Args[1], err, output.Bytes())
	}
	return output.Bytes(), took, nil
}

// operationTimes reads the messages of `terraform apply -json`.
func operationTimes(messages []byte) ([]time.Duration, error) {
	var times []time.Duration
	began := map[string]time.Time{} // keyed by the resource's address
	for lines := bufio.NewScanner(bytes.NewReader(messages)); lines.Scan(); {
		var message struct {
			Type      string    `json:"type"`
			Timestamp time.Time `json:"@timestamp"`
			Hook      struct {
				Resource struct {
					Addr string `json:"addr"`
				} `json:"resource"`
			} `json:"hook"`
		}
		if err := json.Unmarshal(lines.Bytes(), &message); err != nil {
			return nil, fmt.Errorf("terraform apply -json: %w", err)
		}
		address := message.Hook.Resource.Addr
		switch message.Type {
		case "apply_start":
			began[address] = message.Timestamp
		case "apply_complete":
			times = append(times, message.Timestamp.Sub(began[address]))
		}
	}
	return times, nil
}
