package acceptance

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
)

// What a site without the internet does with the files of a release, which `make dist` makes, too.
func TestAccAReleaseIsInstalledWithoutARegistry(t *testing.T) {
	onClusters(t)
	zip := distribute(t)
	mirror := t.TempDir()
	for _, registry := range registries() {
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
	block := blockOf(t, sectionOf(t, "README.md", "Use it"), "hcl")
	for name, cli := range clis(t) {
		t.Run(name, func(t *testing.T) {
			p := borrowLab(t).newProject(t, t.TempDir())
			p.cli = cli
			p.installFrom(mirror)
			p.write("main.tf", block)
			p.run("init")
			if locked := p.read(".terraform.lock.hcl"); !strings.Contains(locked, fmt.Sprintf("%q", hash)) {
				t.Errorf("the zip file has the hash %s, and locked is:\n%s", hash, locked)
			}
			p.run("validate")
			says(t, p.run("plan"), "1 to add, 0 to change, 0 to destroy")
		})
	}
}

// distribute makes the files of a release for this platform. It returns the zip file, which has the checksum that is
// published with it.
func distribute(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	command := exec.CommandContext(t.Context(), "make", "-C", "../..", "dist")
	command.Env = append(os.Environ(), "DIST=host", "DISTDIR="+folder)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("make dist: %v\n%s", err, output)
	}
	zip := onlyFile(t, filepath.Join(folder, "terraform-provider-liqo_*_"+runtime.GOOS+"_"+runtime.GOARCH+".zip"))
	sums, err := os.Open(onlyFile(t, filepath.Join(folder, "*_SHA256SUMS")))
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
		filepath.Base(zip): zip, manifest: "../../terraform-registry-manifest.json",
	} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(content)); published[name] != sum {
			t.Errorf("the checksum of %s is %s, and published are %v", name, sum, published)
		}
	}
	return zip
}

// onlyFile returns the only file that matches a pattern.
func onlyFile(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) != 1 {
		t.Fatalf("%s matches %v (%v)", pattern, files, err)
	}
	return files[0]
}
