package programs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"
)

// Terraform runs Terraform or OpenTofu on one configuration, with the provider from a folder of
// programs instead of a registry. There is nothing to download, so it needs no init.
type Terraform struct {
	cli string
	dir string
	env []string
}

// FindCLI returns the terraform on the PATH. If there is none, the lab builds OpenTofu, unless it
// is already built, and reports that on out.
func FindCLI(ctx context.Context, out io.Writer, lab string) (string, error) {
	if cli, err := exec.LookPath("terraform"); err == nil {
		return cli, nil
	}
	cmd := Command(ctx, lab, "build", "--opentofu")
	cmd.Stderr = out
	cli, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("liqo-lab build --opentofu: %w", err)
	}
	return strings.TrimSpace(string(cli)), nil
}

// NewTerraform creates the folder dir, with a copy of the configuration and, later, its state.
// Programs is the folder with the provider.
func NewTerraform(cli, dir, programs string, configuration fs.FS) (*Terraform, error) {
	if err := os.CopyFS(dir, configuration); err != nil {
		return nil, err
	}
	rc := filepath.Join(dir, "terraform.rc")
	// It omits the host of the provider's address, because Terraform and OpenTofu each add their own.
	content := fmt.Appendf(nil,
		"provider_installation {\n  dev_overrides {\n    \"leafmesh/liqo\" = %q\n  }\n}\n", programs)
	if err := os.WriteFile(rc, content, 0o600); err != nil {
		return nil, err
	}
	t := &Terraform{cli: cli, dir: dir, env: withoutTerraform(os.Environ())}
	t.Set("TF_CLI_CONFIG_FILE", rc)
	// Otherwise it would ask HashiCorp for newer versions.
	t.Set("CHECKPOINT_DISABLE", "1")
	t.Set("TF_INPUT", "0")
	// Each command warns that the provider comes from a folder. One line of this is enough.
	for _, name := range []string{"plan", "apply", "destroy"} {
		t.Set("TF_CLI_ARGS_"+name, "-compact-warnings")
	}
	if !term.IsTerminal(int(os.Stdout.Fd())) || os.Getenv("NO_COLOR") != "" {
		t.Set("TF_CLI_ARGS", "-no-color")
	}
	return t, nil
}

// withoutTerraform removes the caller's settings for Terraform, except for its log. Arguments,
// workspaces and variables of the user would change the result.
func withoutTerraform(env []string) []string {
	return slices.DeleteFunc(env, func(variable string) bool {
		return strings.HasPrefix(variable, "TF_") && !strings.HasPrefix(variable, "TF_LOG")
	})
}

// Set sets an environment variable for all later runs.
func (t *Terraform) Set(name, value string) {
	t.env = append(t.env, name+"="+value)
}

// Command returns a run of Terraform that is not started yet.
func (t *Terraform) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := Command(ctx, t.cli, args...)
	cmd.Dir = t.dir
	cmd.Env = t.env
	return cmd
}

// Run runs Terraform and writes its output to out.
func (t *Terraform) Run(ctx context.Context, out io.Writer, args ...string) error {
	if err := Show(out, t.Command(ctx, args...)); err != nil {
		return fmt.Errorf("%s %s: %w", filepath.Base(t.cli), args[0], err)
	}
	return nil
}

// PlanIsEmpty fails if Terraform would change anything.
func (t *Terraform) PlanIsEmpty(ctx context.Context, out io.Writer) error {
	err := t.Run(ctx, out, "plan", "-detailed-exitcode")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 2 {
		return errors.New("the plan is not empty right after apply")
	}
	return err
}
