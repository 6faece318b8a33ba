package acctest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// OnTerraform114 lets a project run Terraform 1.14 or newer, for what the CLI of the other tests may not have.
func (p *Project) OnTerraform114() *Project {
	p.T.Helper()
	p.Cli = CliOf(p.T, "1.14")
	return p
}

// CliOf returns the program that .ci/terraform chooses for a value of TERRAFORM. It may have to build it first.
func CliOf(t *testing.T, choice string) string {
	t.Helper()
	command := exec.Command(Root + "/.ci/terraform")
	command.Env = append(os.Environ(), "TERRAFORM="+choice)
	command.Stderr = os.Stderr
	path, err := command.Output()
	Must(t, err)
	return strings.TrimSpace(string(path))
}

// CommandLineConfig is the file with the settings of the CLI.
func (p *Project) CommandLineConfig() string { return filepath.Join(p.Home, "terraform.rc") }

// InstallFrom lets `terraform init` take the provider from a mirror of a registry.
func (p *Project) InstallFrom(mirror string) {
	p.T.Helper()
	p.Write(p.CommandLineConfig(),
		fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirror))
}

// ProviderMirror returns a mirror of a registry with the provider, for `terraform init` and `tofu init`.
var ProviderMirror = sync.OnceValues(func() (string, error) {
	mirror := filepath.Join(Scratch, "mirror")
	return mirror, MirrorProvider(mirror, ProviderProgram, "0.0.1")
})

// MirrorProvider puts a program into a mirror of both registries, as a version of the provider.
func MirrorProvider(mirror, program, version string) error {
	for _, registry := range Registries() {
		folder := filepath.Join(mirror, registry, "leafmesh", "liqo", version, runtime.GOOS+"_"+runtime.GOARCH)
		file := filepath.Join(folder, "terraform-provider-liqo_v"+version)
		if err := errors.Join(os.MkdirAll(folder, 0o755), os.Symlink(program, file)); err != nil {
			return err
		}
	}
	return nil
}

// Registries returns the hosts of the addresses that CLIs give to the provider.
func Registries() []string {
	hosts := []string{terraformRegistry, openTofuRegistry, os.Getenv("TF_ACC_PROVIDER_HOST")}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// OnlyFile returns the only file that matches a pattern.
func OnlyFile(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) != 1 {
		t.Fatalf("%s matches %v (%v)", pattern, files, err)
	}
	return files[0]
}
