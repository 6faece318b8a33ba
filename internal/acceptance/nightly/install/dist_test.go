package install

import (
	"bufio"
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
	if err != nil {
		t.Fatal(err)
	}
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
		if err != nil {
			t.Fatal(err)
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(content)); published[name] != sum {
			t.Errorf("the checksum of %s is %s, and published are %v", name, sum, published)
		}
	}

	mirror := t.TempDir()
	for _, registry := range acctest.Registries() {
		folder := filepath.Join(mirror, registry, "leafmesh", "liqo")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(zip, filepath.Join(folder, filepath.Base(zip))); err != nil {
			t.Fatal(err)
		}
	}
	hash, err := dirhash.HashZip(zip, dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
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
