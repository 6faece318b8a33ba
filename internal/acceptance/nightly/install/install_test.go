package install

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/dirhash"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// What a new user does first: the README's section "Use it", from an empty home folder.
func TestAccTheReadmeWorksWordForWordAfterAnInstall(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	section := acctest.SectionOf(t, "README.md", "Use it")
	for name, cli := range clis(t) {
		t.Run(name, func(t *testing.T) {
			p := lab.NewProject(t, t.TempDir())
			p.Set("TF_CLI_CONFIG_FILE", "") // no configuration of the CLI either
			p.Cli = cli
			run := func(target string) { // with the project's home folder; Go keeps its caches
				t.Helper()
				command := exec.CommandContext(context.WithoutCancel(t.Context()), "make", "-C", acctest.Root, target)
				command.Env = os.Environ()
				for _, variable := range []string{"GOPATH", "GOCACHE", "GOMODCACHE"} {
					value, err := acctest.Output("go", "env", variable)
					acctest.Must(t, err)
					command.Env = append(command.Env, variable+"="+value)
				}
				command.Env = append(command.Env, "HOME="+p.Home)
				if output, err := command.CombinedOutput(); err != nil {
					t.Fatalf("make %s: %v\n%s", target, err, output)
				}
			}
			run("install")
			t.Cleanup(func() {
				run("uninstall")
				left, err := filepath.Glob(filepath.Join(p.Home, ".terraform.d", "plugins", "*", "leafmesh", "*"))
				if err != nil || left != nil {
					t.Errorf("left are %v (%v)", left, err)
				}
			})
			acctest.DestroyAtLast(p)
			p.Write("main.tf", acctest.BlockOf(t, section, "hcl"))
			locksFrom(p, filepath.Join(p.Home, ".terraform.d", "plugins"))
			acctest.Says(t, p.Run("plan"), "1 to add, 0 to change, 0 to destroy")
			acctest.Says(t, p.Run("apply", "-auto-approve"), acctest.Created)
			p.Unchanged()
			p.Run("destroy", "-auto-approve")
		})
	}
}

// What a site without the internet does with the files of a release, which `make dist` makes, too.
func TestAccAReleaseIsInstalledWithoutARegistry(t *testing.T) {
	release := t.TempDir()
	command := exec.CommandContext(t.Context(), "make", "-C", acctest.Root, "dist")
	command.Env = append(os.Environ(), "DIST=host", "DISTDIR="+release)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("make dist: %v\n%s", err, output)
	}
	zip := acctest.OnlyFile(t, filepath.Join(release, "terraform-provider-liqo_*_"+runtime.GOOS+"_"+runtime.GOARCH+".zip"))
	sums, err := os.Open(acctest.OnlyFile(t, filepath.Join(release, "*_SHA256SUMS")))
	acctest.Must(t, err)
	defer sums.Close()
	published := map[string]string{}
	for lines := bufio.NewScanner(sums); lines.Scan(); {
		sum, name, _ := strings.Cut(lines.Text(), "  ")
		published[name] = sum
	}
	manifest := strings.TrimSuffix(filepath.Base(sums.Name()), "SHA256SUMS") + "manifest.json"
	for name, file := range map[string]string{
		filepath.Base(zip): zip, manifest: acctest.Root + "/terraform-registry-manifest.json",
	} {
		content, err := os.ReadFile(file)
		acctest.Must(t, err)
		if sum := fmt.Sprintf("%x", sha256.Sum256(content)); published[name] != sum {
			t.Errorf("the checksum of %s is %s, and published are %v", name, sum, published)
		}
	}

	mirror := t.TempDir()
	for _, registry := range acctest.Registries() {
		folder := filepath.Join(mirror, registry, "leafmesh", "liqo")
		acctest.Must(t, os.MkdirAll(folder, 0o755))
		acctest.Must(t, os.Link(zip, filepath.Join(folder, filepath.Base(zip))))
	}
	hash, err := dirhash.HashZip(zip, dirhash.Hash1)
	acctest.Must(t, err)
	block := acctest.BlockOf(t, acctest.SectionOf(t, "README.md", "Use it"), "hcl")
	for name, cli := range clis(t) {
		t.Run(name, func(t *testing.T) {
			p := acctest.Borrow(t, acctest.Pair).NewProject(t, t.TempDir())
			p.Cli = cli
			p.InstallFrom(mirror)
			p.Write("main.tf", block)
			locksFrom(p, mirror)
			if locked := p.Read(".terraform.lock.hcl"); !strings.Contains(locked, fmt.Sprintf("%q", hash)) {
				t.Errorf("the zip file has the hash %s, and locked is:\n%s", hash, locked)
			}
			p.Run("validate")
			acctest.Says(t, p.Run("plan"), "1 to add, 0 to change, 0 to destroy")
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
