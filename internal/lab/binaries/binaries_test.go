package binaries

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/progress"
)

func TestEveryProgramHasAVersionAndItsOwnPlaceInTheCache(t *testing.T) {
	seen := map[string]bool{}
	pinned, older := LiqoRelease{Version: "v1.2.0"}, LiqoRelease{Version: "v1.1.2"}
	for _, program := range slices.Concat(
		Cluster("v1.35.4"), Kubernetes("v1.36.3"), Liqo(pinned), Peering(pinned), DataPlane(pinned), Liqo(older),
		Peering(older), DataPlane(older), []Program{Liqoctl, Liqoctl.At(older), OpenTofu, Terraform},
	) {
		b, err := newBuild(t.Context(), program)
		if err != nil {
			t.Errorf("%s: %v", program.Name, err)
			continue
		}
		if !strings.HasPrefix(b.version, "v") || seen[b.file] || filepath.Base(b.file) != program.Name {
			t.Errorf("%s %s is kept as %s", program.Name, b.version, b.file)
		}
		seen[b.file] = true
	}
}

func TestAProgramIsToldItsVersion(t *testing.T) {
	got := linkerFlags([]string{"v.git=VERSION", "v.major=MAJOR", "v.minor=MINOR"}, "v1.35.4")
	if want := "-s -w -X v.git=v1.35.4 -X v.major=1 -X v.minor=35"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTheCacheKeyTellsItsPartsApart(t *testing.T) {
	if cacheKey([]byte("ab"), []byte("c")) == cacheKey([]byte("a"), []byte("bc")) {
		t.Error("different parts have the same key")
	}
}

// newTestBuild is the building of a program that prints a word.
func newTestBuild(t *testing.T, source string) *build {
	t.Helper()
	folder := t.TempDir()
	for name, content := range map[string]string{"go.mod": "module example.com/word\n", "main.go": source} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return &build{
		Program: Program{Name: "word", pkg: "example.com/word"},
		label:   "word", folder: folder, flags: buildFlags, file: filepath.Join(t.TempDir(), "cache", "word"),
	}
}

func TestAProgramIsBuiltOnceHoweverManyAskForIt(t *testing.T) {
	b := newTestBuild(t, `package main; func main() { println("word") }`)
	var said strings.Builder
	b.report = progress.New(&said)
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			if _, err := b.cached(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if out, err := exec.Command(b.file).CombinedOutput(); string(out) != "word\n" || err != nil {
		t.Errorf("it prints %q, %v", out, err)
	}
	if builds := strings.Count(said.String(), "building, once"); builds != 1 {
		t.Errorf("built %d times:\n%s", builds, said.String())
	}
}

func TestAFailedBuildShowsTheCompilersMessageAndLeavesNothingInTheCache(t *testing.T) {
	b := newTestBuild(t, `package main; func main() { undefined() }`)
	b.report = progress.New(&strings.Builder{})
	if _, err := b.cached(t.Context()); err == nil || !strings.Contains(err.Error(), "undefined: undefined") {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(b.file); !os.IsNotExist(err) {
		t.Errorf("the cache has it: %v", err)
	}
}

func TestACancelledBuildEnds(t *testing.T) {
	b := newTestBuild(t, `package main; func main() {}`)
	b.report = progress.New(&strings.Builder{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.cached(ctx); err == nil {
		t.Error("no error")
	}
}
