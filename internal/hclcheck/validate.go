package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/go-version"
	"github.com/hashicorp/hcl/v2"
)

// finding is a problem of a block.
type finding struct {
	file   string
	line   int
	reason string
}

func (f finding) String() string { return fmt.Sprintf("%s:%d: %s", f.file, f.line, f.reason) }

// validator runs programs that validate configurations. They take the provider from a folder instead of a registry, so
// they need no init.
type validator struct {
	programs []program
	dir      string // temporary
	env      []string
}

// program is Terraform or OpenTofu.
type program struct {
	path    string
	version *version.Version
}

func newValidator(ctx context.Context, paths []string, provider string) (*validator, error) {
	provider, err := filepath.Abs(provider)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "hclcheck-")
	if err != nil {
		return nil, err
	}
	rc := filepath.Join(dir, "terraform.rc")
	// The addresses have no host, because Terraform and OpenTofu each prepend their own registry.
	text := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"leafmesh/liqo\" = %[1]q\n"+
		"    \"hashicorp/time\" = %[1]q\n  }\n}\n", provider)
	if err := os.WriteFile(rc, []byte(text), 0o600); err != nil {
		return nil, err
	}
	v := &validator{dir: dir, env: append(os.Environ(), "TF_CLI_CONFIG_FILE="+rc, "TF_CLI_ARGS=", "CHECKPOINT_DISABLE=1")}
	for _, path := range paths {
		var answer struct {
			Version string `json:"terraform_version"`
		}
		if err := v.run(ctx, path, dir, &answer, "version", "-json"); err != nil {
			return nil, err
		}
		parsed, err := version.NewVersion(answer.Version)
		if err != nil {
			return nil, fmt.Errorf("%s version: %w", path, err)
		}
		v.programs = append(v.programs, program{path, parsed})
	}
	return v, nil
}

func (v *validator) close() { _ = os.RemoveAll(v.dir) }

// validate returns the findings of one block. The error is about Terraform itself.
func (v *validator) validate(ctx context.Context, b block) ([]finding, error) {
	c, err := b.frame()
	if diags, ok := errors.AsType[hcl.Diagnostics](err); ok {
		return syntaxFindings(b, diags), nil
	}
	if err != nil {
		return nil, err
	}
	var findings []finding
	if !b.formatted() {
		findings = append(findings, finding{b.file, b.line, "`terraform fmt` would change it"})
	}
	dir, err := os.MkdirTemp(v.dir, "block-")
	if err != nil {
		return nil, err
	}
	for name, text := range c.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	suitable := slices.DeleteFunc(slices.Clone(v.programs), func(p program) bool { return !c.requires.Check(p.version) })
	if len(suitable) == 0 {
		return append(findings, finding{b.file, b.line, "no given program has a version " + c.requires.String()}), nil
	}
	for _, p := range suitable {
		var answer struct {
			Diagnostics []diagnostic `json:"diagnostics"`
		}
		if err := v.run(ctx, p.path, dir, &answer, "validate", "-json"); err != nil {
			return nil, err
		}
		for _, d := range answer.Diagnostics {
			if f := d.in(b); d.Severity == "error" && !slices.Contains(findings, f) {
				findings = append(findings, f)
			}
		}
	}
	return findings, nil
}

func syntaxFindings(b block, diags hcl.Diagnostics) []finding {
	findings := make([]finding, 0, len(diags))
	for _, d := range diags {
		line := b.line
		if d.Subject != nil {
			line = d.Subject.Start.Line
		}
		findings = append(findings, finding{b.file, line, d.Summary + ": " + d.Detail})
	}
	return findings
}

// diagnostic is a diagnostic in the output of `terraform validate -json`.
type diagnostic struct {
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	Detail   string `json:"detail"`
	Range    *struct {
		Filename string `json:"filename"`
		Start    struct {
			Line int `json:"line"`
		} `json:"start"`
	} `json:"range"`
}

// in returns the diagnostic as a finding of the block. A problem of the frame, or of the resource around a fragment,
// gets the block's first line.
func (d diagnostic) in(b block) finding {
	f := finding{b.file, b.line, d.Summary}
	if detail := strings.Join(strings.Fields(d.Detail), " "); detail != "" {
		f.reason += ": " + detail
	}
	if d.Range != nil && filepath.Base(d.Range.Filename) != "frame.tf" {
		f.line = max(b.line, d.Range.Start.Line)
	}
	return f
}

// run decodes the JSON output of a command. A command that fails but prints JSON is no error, because the output shows
// the failure.
func (v *validator) run(ctx context.Context, program, dir string, answer any, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // the user names the program
	cmd.Dir, cmd.Env, cmd.Stderr = dir, v.env, os.Stderr
	output, failed := cmd.Output()
	if err := json.Unmarshal(output, answer); err != nil {
		return fmt.Errorf("%s %s: %w", program, args[0], errors.Join(failed, err))
	}
	return nil
}
