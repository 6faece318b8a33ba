package install

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// What a new user does first: the README's section "Use it", from an empty home folder.
func TestAccTheReadmeWorksWordForWordAfterAnInstall(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	section := acctest.SectionOf(t, "README.md", "Use it")
	for name, cli := range clis(t) {
		t.Run(name, func(t *testing.T) {
			p := lab.NewProject(t, t.TempDir())
			p.Set("TF_CLI_CONFIG_FILE", "") // no configuration of the CLI either
			p.Cli = cli
			install(p, "install")
			t.Cleanup(func() { uninstalled(p) })
			acctest.DestroyAtLast(p)
			p.Write("main.tf", acctest.BlockOf(t, section, "hcl"))
			locksFrom(p, filepath.Join(p.Home, ".terraform.d", "plugins"))
			acctest.Says(t, p.Run("plan"), "1 to add, 0 to change, 0 to destroy")
			acctest.Says(t, p.Run("apply", "-auto-approve"), "1 added, 0 changed, 0 destroyed")
			p.Run("plan", "-detailed-exitcode")
			p.Run("destroy", "-auto-approve")
		})
	}
}

// clis returns the programs that users have instead of the one that the other tests run: each by its name.
func clis(t *testing.T) map[string]string {
	t.Helper()
	programs := map[string]string{}
	for _, choice := range []string{"", "opentofu"} {
		program := acctest.CliOf(t, choice)
		programs[filepath.Base(program)] = program
	}
	return programs
}

// locksFrom writes the lock file of a project from a mirror, as for the machines that share it. The lock file must have
// the hashes that an init needs.
func locksFrom(p *acctest.Project, mirror string) {
	p.T.Helper()
	acctest.Says(p.T, p.Run("providers", "lock", "-fs-mirror="+mirror), "leafmesh/liqo")
	p.Run("init", "-lockfile=readonly")
}

// uninstalled fails the test unless `make uninstall` removes what `make install` has installed.
func uninstalled(p *acctest.Project) {
	p.T.Helper()
	install(p, "uninstall")
	left, err := filepath.Glob(filepath.Join(p.Home, ".terraform.d", "plugins", "*", "leafmesh", "*"))
	if err != nil || left != nil {
		p.T.Errorf("left are %v (%v)", left, err)
	}
}

// install runs a target of make in the repository, with the project's home folder. Go keeps its caches.
func install(p *acctest.Project, target string) {
	p.T.Helper()
	command := exec.CommandContext(context.WithoutCancel(p.T.Context()), "make", "-C", acctest.Root, target)
	command.Env = os.Environ()
	for _, variable := range []string{"GOPATH", "GOCACHE", "GOMODCACHE"} {
		value, err := acctest.Output("go", "env", variable)
		if err != nil {
			p.T.Fatal(err)
		}
		command.Env = append(command.Env, variable+"="+value)
	}
	command.Env = append(command.Env, "HOME="+p.Home)
	if output, err := command.CombinedOutput(); err != nil {
		p.T.Fatalf("make %s: %v\n%s", target, err, output)
	}
}
