package acceptance

import (
	"context"
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

// project is a folder in which Terraform runs as it does for users: the real program, after an init, with the provider
// as a separate program.
type project struct {
	t    *testing.T
	dir  string
	home string // home folder: .kube/config has a context for each cluster, .kube/NAME.yaml is for one cluster
	env  []string
	cli  string // the program that it runs
}

// example returns a copy of one of the repository's examples. At the end of the test, everything that it has applied is
// destroyed.
func (l *Lab) example(t *testing.T, name string) *project {
	t.Helper()
	p := l.newProject(t, "../../examples/"+name)
	destroyAtLast(p)
	return p
}

// destroyAtLast destroys what the projects have created at the end of the test, the last project first.
func destroyAtLast(projects ...*project) {
	for _, p := range projects {
		p.t.Cleanup(func() {
			if output, err := p.command(
				context.WithoutCancel(p.t.Context()), "destroy", "-auto-approve",
			).CombinedOutput(); err != nil {
				p.t.Errorf("terraform destroy: %v\n%s", err, output)
			}
		})
	}
}

// newProject copies a folder. Without one, the project is empty.
func (l *Lab) newProject(t *testing.T, from string) *project {
	t.Helper()
	mirror, err := builtProvider()
	if err != nil {
		t.Fatal(err)
	}
	p := &project{
		t: t, dir: filepath.Join(t.TempDir(), "project"), home: t.TempDir(), cli: os.Getenv("TF_ACC_TERRAFORM_PATH"),
	}
	if err := os.CopyFS(p.dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(p.home, ".kube"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.link(l.Kubeconfig, "config")
	for _, c := range l.Clusters {
		p.link(c.Kubeconfig, c.Name+".yaml")
	}
	p.installFrom(mirror)
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TF_") && !strings.HasPrefix(variable, "KUBE") {
			p.env = append(p.env, variable)
		}
	}
	p.set("HOME", p.home)
	p.set("TF_CLI_CONFIG_FILE", p.commandLineConfig())
	p.set("TF_CLI_ARGS", "-no-color")
	p.set("TF_INPUT", "0")
	p.set("CHECKPOINT_DISABLE", "1")
	return p
}

// onTerraform114 lets a project run Terraform 1.14 or newer, for what the CLI of the other tests may not have.
func (p *project) onTerraform114() *project {
	p.t.Helper()
	p.cli = cliOf(p.t, "1.14")
	return p
}

// cliOf returns the program that .ci/terraform chooses for a value of TERRAFORM. It may have to build it first.
func cliOf(t *testing.T, choice string) string {
	t.Helper()
	command := exec.Command("../../.ci/terraform")
	command.Env = append(os.Environ(), "TERRAFORM="+choice)
	command.Stderr = os.Stderr
	path, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(path))
}

func (p *project) commandLineConfig() string { return filepath.Join(p.home, "terraform.rc") }

// installFrom lets `terraform init` take the provider from a mirror of a registry.
func (p *project) installFrom(mirror string) {
	p.t.Helper()
	p.write(p.commandLineConfig(),
		fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirror))
}

// link links one of the lab's files to ~/.kube/NAME.
func (p *project) link(file, name string) {
	p.t.Helper()
	if err := os.Symlink(file, filepath.Join(p.home, ".kube", name)); err != nil {
		p.t.Fatal(err)
	}
}

// write writes a file. A relative path is in the project's folder.
func (p *project) write(name, text string) {
	p.t.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.dir, name)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// read returns the text of a file in the project's folder.
func (p *project) read(name string) string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// set sets an environment variable for all later runs.
func (p *project) set(name, value string) { p.env = append(p.env, name+"="+value) }

// apply runs init and apply. It fails the test unless the next plan is empty.
func (p *project) apply() {
	p.t.Helper()
	p.run("init")
	p.run("apply", "-auto-approve")
	p.run("plan", "-detailed-exitcode") // fails if there is anything to change
}

// run runs a Terraform command, which must succeed, and returns its output.
func (p *project) run(args ...string) string {
	p.t.Helper()
	output, err := p.command(p.t.Context(), args...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("terraform %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return string(output)
}

// refused runs a Terraform command, which must fail, and returns its output.
func (p *project) refused(args ...string) string {
	p.t.Helper()
	output, err := p.command(p.t.Context(), args...).CombinedOutput()
	if err == nil {
		p.t.Fatalf("terraform %s did not fail:\n%s", strings.Join(args, " "), output)
	}
	return string(output)
}

func (p *project) command(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, p.cli, args...)
	command.Dir, command.Env = p.dir, p.env
	return command
}

// says fails the test unless the output of Terraform has all of these sentences.
func says(t *testing.T, output string, sentences ...string) {
	t.Helper()
	for _, sentence := range sentences {
		if !strings.Contains(unbroken(output), sentence) {
			t.Errorf("%q is missing in:\n%s", sentence, output)
		}
	}
}

// doesNotSay fails the test if the output of Terraform has this sentence.
func doesNotSay(t *testing.T, output, sentence string) {
	t.Helper()
	if strings.Contains(unbroken(output), sentence) {
		t.Errorf("unexpected %q in:\n%s", sentence, output)
	}
}

// unbroken returns a text without Terraform's line breaks and frames.
func unbroken(output string) string {
	return strings.Join(strings.FieldsFunc(output, func(r rune) bool { return strings.ContainsRune(" \n│╷╵", r) }), " ")
}

// builtProvider builds the provider once for all tests. It returns a mirror of a registry with it, for `terraform
// init`.
var builtProvider = sync.OnceValues(func() (string, error) { return buildProvider("mirror") })

// buildProvider builds the provider with more flags of `go build`, and returns a mirror with this name. It has the
// provider for Terraform and for OpenTofu. As in a release, the program has no symbols: each command of Terraform reads
// all of it, to compare its hash with that of the lock file.
func buildProvider(name string, flags ...string) (string, error) {
	mirror, built := filepath.Join(scratch, name), filepath.Join(scratch, name+"-build", "provider")
	args := append([]string{"build", "-ldflags=-s -w", "-o", built}, flags...)
	if output, err := exec.Command("go", append(args, "../..")...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, output)
	}
	return mirror, mirrorProvider(mirror, built, "0.0.1")
}

// mirrorProvider puts a program into a mirror of both registries, as a version of the provider.
func mirrorProvider(mirror, program, version string) error {
	for _, registry := range registries() {
		folder := filepath.Join(mirror, registry, "leafmesh", "liqo", version, runtime.GOOS+"_"+runtime.GOARCH)
		file := filepath.Join(folder, "terraform-provider-liqo_v"+version)
		if err := errors.Join(os.MkdirAll(folder, 0o755), os.Link(program, file)); err != nil {
			return err
		}
	}
	return nil
}

// registries returns the hosts of the addresses that CLIs give to the provider.
func registries() []string {
	hosts := []string{terraformRegistry, openTofuRegistry, os.Getenv("TF_ACC_PROVIDER_HOST")}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// withProgram puts a script at the start of the PATH.
func (p *project) withProgram(name, script string) {
	p.t.Helper()
	programs := p.t.TempDir()
	if err := os.WriteFile(filepath.Join(programs, name), []byte(script), 0o700); err != nil {
		p.t.Fatal(err)
	}
	i := slices.IndexFunc(p.env, func(variable string) bool { return strings.HasPrefix(variable, "PATH=") })
	p.set("PATH", programs+":"+strings.TrimPrefix(p.env[i], "PATH="))
}
