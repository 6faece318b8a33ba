package acctest

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// AttachedProvider is the provider as a program to which commands of Terraform attach, as to one in a debugger. It
// stays from one command to the next. Otherwise, each command starts it three times, and compares its hash with that of
// the lock file, which is four fifths of the CPU time of a plan.
type AttachedProvider struct {
	// Reattach is the value of TF_REATTACH_PROVIDERS with which Terraform and OpenTofu attach.
	Reattach string
	// PID is its process.
	PID int

	env   []string
	shell *exec.Cmd
	alive io.Closer
}

// attachment is what the provider prints for people who debug it.
var attachment = regexp.MustCompile(`TF_REATTACH_PROVIDERS='(.*)'`)

// StartProvider starts the provider in a folder, with an environment. It ends with this process at the latest.
func StartProvider(t *testing.T, dir string, env []string) *AttachedProvider {
	t.Helper()
	const script = `"$1" -debug & cat; kill "$!"; wait` // stdin ends with this process
	p := &AttachedProvider{
		env: slices.Clone(env), shell: exec.Command("sh", "-c", script, "attached", ProviderProgram),
	}
	p.shell.Dir, p.shell.Env = dir, p.env
	stdin, err := p.shell.StdinPipe()
	p.alive = stdin
	stdout, failed := p.shell.StdoutPipe()
	if err = errors.Join(err, failed); err == nil {
		err = p.shell.Start()
	}
	Must(t, err)
	var how []string
	for lines := bufio.NewScanner(stdout); how == nil && lines.Scan(); {
		how = attachment.FindStringSubmatch(lines.Text())
	}
	if how == nil {
		p.Stop()
		t.Fatal("the provider does not print how to attach to it")
	}
	var attached map[string]struct{ Pid int } // keyed by the provider's address
	Must(t, json.Unmarshal([]byte(how[1]), &attached))
	for address, one := range attached {
		// Without the host in its address, Terraform and OpenTofu each add their own.
		_, name, _ := strings.Cut(address, "/")
		p.PID, p.Reattach = one.Pid, strings.ReplaceAll(how[1], address, name)
	}
	return p
}

// Stop ends the provider, unless it has ended.
func (p *AttachedProvider) Stop() {
	_ = p.alive.Close() // it is a pipe
	_ = p.shell.Wait()  // it was told to end; it is an error to wait again
}

// Attach lets the project's later commands attach to a provider that stays, all but those that [Project.Begin] and
// [Project.Shell] start. What a provider logs reaches Terraform only if it is Terraform's child, so commands with a log
// do not attach, either.
func (p *Project) Attach() *Project {
	p.attaches = true
	p.T.Cleanup(p.detach)
	return p
}

// attached returns the environment of a command that attaches to the provider. A provider whose environment was another
// one is replaced.
func (p *Project) attached() []string {
	p.T.Helper()
	if p.provider != nil && !slices.Equal(p.provider.env, p.Env) {
		p.detach()
	}
	if p.provider == nil {
		p.provider = StartProvider(p.T, p.Dir, p.Env)
	}
	return append(slices.Clone(p.Env), "TF_REATTACH_PROVIDERS="+p.provider.Reattach)
}

// detach ends the provider if it runs.
func (p *Project) detach() {
	if p.provider != nil {
		p.provider.Stop()
		p.provider = nil
	}
}
