package acctest

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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

// In lets the project fail a part of a test, until the part ends.
func (p *Project) In(t *testing.T) {
	t.Helper()
	whole := p.T
	p.T = t
	t.Cleanup(func() { p.T = whole })
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
	return l.projectIn(t, "project", from)
}

// emptyIn returns a project without files in a folder with this name, which [Project.Attach]es. At the end of the test,
// everything that it has applied is destroyed.
func (l *Lab) emptyIn(t *testing.T, folder string) *Project {
	t.Helper()
	p := l.projectIn(t, folder, t.TempDir()).Attach()
	DestroyAtLast(p)
	return p
}

func (l *Lab) projectIn(t *testing.T, folder, from string) *Project {
	t.Helper()
	mirror, err := ProviderMirror()
	Must(t, err)
	p := &Project{
		T: t, Dir: filepath.Join(t.TempDir(), folder), Home: t.TempDir(), Cli: os.Getenv("TF_ACC_TERRAFORM_PATH"),
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
	logs := slices.ContainsFunc(p.Env, func(variable string) bool { return strings.HasPrefix(variable, "TF_LOG") })
	if p.attaches && args[0] != "init" && !logs {
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

// Written returns a project with this configuration, which is initialised and [Project.Attach]es. At the end of the
// test, everything that it has applied is destroyed.
func (l *Lab) Written(t *testing.T, config string) *Project {
	t.Helper()
	p := l.emptyIn(t, "project")
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
	p := l.emptyIn(t, folder)
	p.Configure(config)
	p.Run("init")
	return p
}

// Configure replaces the project's configuration.
func (p *Project) Configure(config string) {
	p.T.Helper()
	p.Write("main.tf", Required+config)
}

// Unchanged fails the test unless the project's plan is empty.
func (p *Project) Unchanged() {
	p.T.Helper()
	p.Run("plan", "-detailed-exitcode") // fails if there is anything to change
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
