package acctest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Project is a folder in which Terraform runs as it does for users: the real program, after an init, with the provider
// as a separate program.
type Project struct {
	T    *testing.T
	Dir  string
	Home string // home folder: .kube/config has a context for each cluster, .kube/NAME.yaml is for one cluster
	Env  []string
	Cli  string // the program that it runs

	attaches bool              // to a provider that stays
	provider *AttachedProvider // nil unless it runs
}

// Example returns a copy of one of the repository's examples. At the end of the test, everything that it has applied is
// destroyed.
func (l *Lab) Example(t *testing.T, name string) *Project {
	t.Helper()
	p := l.NewProject(t, Root+"/examples/"+name)
	DestroyAtLast(p)
	return p
}

// DestroyAtLast destroys what the projects have created at the end of the test, the last project first.
func DestroyAtLast(projects ...*Project) {
	for _, p := range projects {
		p.T.Cleanup(func() {
			if output, err := p.Command(
				context.WithoutCancel(p.T.Context()), "destroy", "-auto-approve",
			).CombinedOutput(); err != nil {
				p.T.Errorf("terraform destroy: %v\n%s", err, output)
			}
		})
	}
}

// NewProject copies a folder. Without one, the project is empty.
func (l *Lab) NewProject(t *testing.T, from string) *Project {
	t.Helper()
	mirror, err := ProviderMirror()
	Must(t, err)
	p := &Project{
		T: t, Dir: filepath.Join(t.TempDir(), "project"), Home: t.TempDir(), Cli: os.Getenv("TF_ACC_TERRAFORM_PATH"),
	}
	Must(t, os.CopyFS(p.Dir, os.DirFS(from)))
	Must(t, os.Mkdir(filepath.Join(p.Home, ".kube"), 0o700))
	kubeconfigs := map[string]string{"config": l.Kubeconfig}
	for _, c := range l.Clusters {
		kubeconfigs[c.Name+".yaml"] = c.Kubeconfig
	}
	for name, file := range kubeconfigs {
		Must(t, os.Symlink(file, filepath.Join(p.Home, ".kube", name)))
	}
	p.InstallFrom(mirror)
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TF_") && !strings.HasPrefix(variable, "KUBE") {
			p.Env = append(p.Env, variable)
		}
	}
	p.Set("HOME", p.Home)
	p.Set("TF_CLI_CONFIG_FILE", p.CommandLineConfig())
	p.Set("TF_CLI_ARGS", "-no-color")
	p.Set("TF_INPUT", "0")
	p.Set("CHECKPOINT_DISABLE", "1")
	return p
}

// Write writes a file. A relative path is in the project's folder.
func (p *Project) Write(name, text string) {
	p.T.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.Dir, name)
	}
	Must(p.T, os.WriteFile(name, []byte(text), 0o600))
}

// Read returns the text of a file in the project's folder.
func (p *Project) Read(name string) string {
	p.T.Helper()
	text, err := os.ReadFile(filepath.Join(p.Dir, name))
	Must(p.T, err)
	return string(text)
}

// Set sets an environment variable for all later runs.
func (p *Project) Set(name, value string) { p.Env = append(p.Env, name+"="+value) }

// Apply runs init and apply. It fails the test unless the next plan is empty.
func (p *Project) Apply() {
	p.T.Helper()
	p.Run("init")
	p.Again()
}

// Run runs a Terraform command, which must succeed, and returns its output.
func (p *Project) Run(args ...string) string {
	p.T.Helper()
	output, err := p.Command(p.T.Context(), args...).CombinedOutput()
	if err != nil {
		p.T.Fatalf("terraform %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return string(output)
}

// Refused runs a Terraform command, which must fail, and returns its output.
func (p *Project) Refused(args ...string) string {
	p.T.Helper()
	output, err := p.Command(p.T.Context(), args...).CombinedOutput()
	if err == nil {
		p.T.Fatalf("terraform %s did not fail:\n%s", strings.Join(args, " "), output)
	}
	return string(output)
}

// Command returns a Terraform command that has not started.
func (p *Project) Command(ctx context.Context, args ...string) *exec.Cmd {
	p.T.Helper()
	command := p.unattached(ctx, args...)
	if p.attaches && args[0] != "init" && !p.logs() {
		command.Env = p.attached()
	}
	return command
}

// unattached returns a Terraform command that starts the provider itself, as for users.
func (p *Project) unattached(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, p.Cli, args...)
	command.Dir, command.Env = p.Dir, p.Env
	return command
}

// WithProgram puts a script at the start of the PATH.
func (p *Project) WithProgram(name, script string) {
	p.T.Helper()
	programs := p.T.TempDir()
	Must(p.T, os.WriteFile(filepath.Join(programs, name), []byte(script), 0o700))
	p.WithPrograms(programs)
}

// WithPrograms puts a folder at the start of the PATH.
func (p *Project) WithPrograms(folder string) {
	path := ""
	for _, variable := range p.Env { // the last one counts
		if folders, ok := strings.CutPrefix(variable, "PATH="); ok {
			path = folders
		}
	}
	p.Set("PATH", folder+":"+path)
}

// ExamplePrograms returns the folder of kubectl and jq, which it builds once for all tests of a package.
func ExamplePrograms(t *testing.T) string {
	t.Helper()
	folder, err := examplePrograms()
	Must(t, err)
	return folder
}

var examplePrograms = sync.OnceValues(func() (folder string, err error) {
	folder = filepath.Join(Scratch, "programs")
	if err = os.Mkdir(folder, 0o755); err == nil {
		_, err = Output(Root+"/.ci/example-programs", folder)
	}
	return folder, err
})

// Again applies a project that is initialised, and fails the test unless the next plan is empty. It returns what
// Terraform says.
func (p *Project) Again() string {
	p.T.Helper()
	output := p.Run("apply", "-auto-approve")
	p.Unchanged()
	return output
}

// Becomes applies a configuration with a provider block. It fails the test unless Terraform says these sentences, and
// the next plan is empty.
func (p *Project) Becomes(config string, sentences ...string) {
	p.T.Helper()
	p.Write("main.tf", config)
	Says(p.T, p.Again(), sentences...)
}

// Refuses applies a configuration with a provider block, which must fail, and returns its output.
func (p *Project) Refuses(config string) string {
	p.T.Helper()
	p.Write("main.tf", config)
	return p.Refused("apply", "-auto-approve")
}

// Forget lets a project keep these resources on the cluster, but not in its state. It replaces the configuration.
func (p *Project) Forget(addresses ...string) {
	p.T.Helper()
	var blocks strings.Builder
	for _, address := range addresses {
		fmt.Fprintf(&blocks, "removed {\n  from = %s\n  lifecycle {\n    destroy = false\n  }\n}\n", address)
	}
	p.Configure(BothLeaves + blocks.String())
	p.Run("apply", "-auto-approve")
	if left := p.Resources(); left != "" {
		p.T.Errorf("the state has %s", left)
	}
}

// Remove deletes files in the project's folder.
func (p *Project) Remove(pattern string) {
	p.T.Helper()
	names, err := filepath.Glob(filepath.Join(p.Dir, pattern))
	Must(p.T, err)
	for _, name := range names {
		Must(p.T, os.Remove(name))
	}
}

// SetJSON sets an environment variable to a value that Terraform reads as an object.
func (p *Project) SetJSON(name string, value any) {
	p.T.Helper()
	text, err := json.Marshal(value)
	Must(p.T, err)
	p.Set(name, string(text))
}

// Shell runs the commands of a page, which must succeed. It approves what they apply, and returns their output.
func (p *Project) Shell(commands string) string {
	p.T.Helper()
	return p.Job(commands, 0)
}

// Job is like shell, for commands that end with this exit status.
func (p *Project) Job(commands string, status int) string {
	p.T.Helper()
	p.WithProgram("terraform", fmt.Sprintf("#!/bin/sh\nexec '%s' \"$@\"\n", p.Cli))
	p.Set("TF_CLI_ARGS_apply", "-auto-approve")
	command := exec.CommandContext(p.T.Context(), "sh", "-ec", commands)
	command.Dir, command.Env = p.Dir, p.Env
	output, err := command.CombinedOutput()
	if command.ProcessState == nil || command.ProcessState.ExitCode() != status {
		p.T.Fatalf("%s: %v, expected the exit status %d\n%s", commands, err, status, output)
	}
	return string(output)
}

// Written returns a project with this configuration, which is initialised and [Project.Attach]es. At the end of the
// test, everything that it has applied is destroyed.
func (l *Lab) Written(t *testing.T, config string) *Project {
	t.Helper()
	p := l.NewProject(t, t.TempDir()).Attach()
	DestroyAtLast(p)
	p.Write("main.tf", config)
	p.Run("init")
	return p
}

// Applied is like [Lab.Written], and applies the configuration. It fails the test unless the next plan is empty.
func (l *Lab) Applied(t *testing.T, config string) *Project {
	t.Helper()
	p := l.Written(t, config)
	p.Again()
	return p
}

// StateIn is like [Lab.Written], for a project with this name, and a configuration without Required.
func (l *Lab) StateIn(t *testing.T, folder, config string) *Project {
	t.Helper()
	p := l.NewProject(t, t.TempDir()).Attach()
	DestroyAtLast(p)
	p.rename(folder)
	p.Configure(config)
	p.Run("init")
	return p
}

// rename gives the project's folder another name.
func (p *Project) rename(folder string) {
	p.T.Helper()
	renamed := filepath.Join(filepath.Dir(p.Dir), folder)
	Must(p.T, os.Rename(p.Dir, renamed))
	p.Dir = renamed
}

// Configure replaces the project's configuration.
func (p *Project) Configure(config string) {
	p.T.Helper()
	p.Write("main.tf", Required+config)
}

// Resources returns the addresses in the project's state.
func (p *Project) Resources() string {
	p.T.Helper()
	return strings.TrimSpace(p.Run("state", "list"))
}

// Unchanged fails the test unless the project's plan is empty.
func (p *Project) Unchanged() {
	p.T.Helper()
	p.Run("plan", "-detailed-exitcode") // fails if there is anything to change
}

// Evaluate returns the text that an expression has in the state.
func (p *Project) Evaluate(expression string) string {
	p.T.Helper()
	console := p.Command(p.T.Context(), "console")
	console.Stdin = strings.NewReader(expression)
	output, err := console.Output()
	if err != nil {
		p.T.Fatalf("%s: %v", expression, err)
	}
	return strings.Trim(strings.TrimSpace(string(output)), `"`)
}

// ReplaceIn replaces a text in a file of the project.
func (p *Project) ReplaceIn(file, former, latter string) {
	p.T.Helper()
	content := p.Read(file)
	replaced := strings.ReplaceAll(content, former, latter)
	if replaced == content {
		p.T.Fatalf("%q is not in %s", former, file)
	}
	p.Write(file, replaced)
}
