package binaries

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/progress"
)

func TestReleasesAreOrderedByTheNumbersOfTheirVersions(t *testing.T) {
	for _, ordered := range [][2]LiqoVersion{{"v1.9.0", "v1.10.0"}, {"v1.0.3", "v1.1.0"}} {
		older, newer := LiqoRelease{Version: ordered[0]}, LiqoRelease{Version: ordered[1]}
		if OlderLiqo(older, newer) != older || OlderLiqo(newer, older) != older {
			t.Errorf("%s is not older than %s", older.Version, newer.Version)
		}
	}
}

func TestSourcesAreNewerThanTheVersionThatTheyFollowAndOlderThanTheNext(t *testing.T) {
	sources, err := unpublishedLiqo("/src/liqo", "v1.2.0", "h0123")
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []struct {
		version LiqoVersion
		older   bool
	}{{"v1.2.0", true}, {"v1.2.1", false}, {"v1.3.0-rc.1", false}} {
		release := LiqoRelease{Version: other.version}
		if (OlderLiqo(sources, release) == release) != other.older {
			t.Errorf("%s is older than %s: not %t", other.version, sources.Version, other.older)
		}
	}
	if sources.Version.RunsWireGuardGo() {
		t.Errorf("%s behaves as an older version", sources.Version)
	}
}

func TestOtherContentOfAFolderIsAnotherRelease(t *testing.T) {
	before, err := unpublishedLiqo("/src/liqo", "v1.2.0", "h0123")
	if err != nil {
		t.Fatal(err)
	}
	after, err := unpublishedLiqo("/src/liqo", "v1.2.0", "h4567")
	if err != nil || before == after {
		t.Errorf("%v and %v, %v", before, after, err)
	}
}

func TestSourcesThatFollowNoVersionAreRefused(t *testing.T) {
	if release, err := unpublishedLiqo("/src/liqo", "nightly", "h0123"); err == nil {
		t.Errorf("got %v", release)
	}
}

func TestAVersionIsAReleaseFromTheFirstStableOneOn(t *testing.T) {
	for text, valid := range map[string]bool{
		"v1.0.0": true, "v1.1.2": true, "v1.2.0": true,
		"1.1.2": false, "v1.1": false, "v0.10.3": false, "v1.0.0-rc.3": false, "v1.1.2+local": false, "": false,
	} {
		got, err := ParseLiqoVersion(text)
		if valid != (err == nil) || valid && string(got) != text {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
}

func TestWireGuardInUserSpaceIsAProgramOfItsOwnBefore12(t *testing.T) {
	for version, want := range map[LiqoVersion]bool{"v1.0.0": true, "v1.1.2": true, "v1.2.0": false} {
		if got := version.RunsWireGuardGo(); got != want {
			t.Errorf("%s: it runs wireguard-go: %t", version, got)
		}
	}
}

// writeSources writes files into a folder.
func writeSources(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// parseSources parses a folder.
func parseSources(t *testing.T, folder string) LiqoRelease {
	t.Helper()
	release, err := ParseLiqo(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	return release
}

func TestAFolderWithSourcesOfLiqoIsARelease(t *testing.T) {
	folder := t.TempDir()
	writeSources(t, folder, map[string]string{"go.mod": "module " + liqoModule + "\n", "cmd/main.go": "package main\n"})
	release := parseSources(t, folder)
	pinned, err := DefaultLiqo()
	if err != nil {
		t.Fatal(err)
	}
	if release.Folder != folder || OlderLiqo(release, pinned) != pinned {
		t.Errorf("got %+v", release)
	}
	if source, err := LiqoSource(t.Context(), release); source != folder || err != nil {
		t.Errorf("its chart is in %s, %v", source, err)
	}
	if again := parseSources(t, folder); again != release {
		t.Errorf("unchanged, it is %+v and then %+v", release, again)
	}
	writeSources(t, folder, map[string]string{".git/index": "something"})
	if again := parseSources(t, folder); again != release {
		t.Error("git's own files make it another release")
	}
	writeSources(t, folder, map[string]string{"cmd/main.go": "package main // changed\n"})
	if again := parseSources(t, folder); again == release {
		t.Error("changed sources are the same release")
	}
}

func TestSourcesFollowTheLastTagOfTheirRepository(t *testing.T) {
	folder := t.TempDir()
	writeSources(t, folder, map[string]string{"go.mod": "module " + liqoModule + "\n"})
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "a"},
		{"tag", "v1.1.2"}, {"tag", "latest"},
	} {
		git := exec.CommandContext(t.Context(), "git", append([]string{"-C", folder}, args...)...)
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if release := parseSources(t, folder); !strings.HasPrefix(string(release.Version), "v1.1.3-0.") {
		t.Errorf("got %+v", release)
	}
}

func TestWhatIsNeitherAVersionNorAFolderOfLiqoIsRefused(t *testing.T) {
	other := t.TempDir()
	writeSources(t, other, map[string]string{"go.mod": "module example.com/other\n"})
	for text, reason := range map[string]string{
		"1.1":                        `"1.1" is not a version of Liqo`,
		"liqo":                       "written with a slash",
		filepath.Join(other, "gone"): "no such file",
		other:                        "has the sources of example.com/other",
	} {
		if release, err := ParseLiqo(t.Context(), text); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: got %+v, %v", text, release, err)
		}
	}
}

// newSourcesBuild is the building of a program, from a folder, that prints where it listens.
func newSourcesBuild(t *testing.T) *build {
	t.Helper()
	folder := t.TempDir()
	writeSources(t, folder, map[string]string{
		"go.mod":      "module " + liqoModule + "\n",
		"cmd/main.go": "package main\n\nfunc main() { print(\"everywhere\") }\n",
	})
	release := parseSources(t, folder)
	program := Program{
		Name: "word", pkg: liqoModule + "/cmd", source: liqoModule, change: listener{"cmd/main.go", "everywhere", "here"},
	}
	return &build{
		Program: program.At(release), label: "word", folder: folder, version: string(release.Version), flags: buildFlags,
		file: filepath.Join(t.TempDir(), "cache", "word"), report: progress.New(io.Discard),
	}
}

func TestAProgramFromAFolderListensHereAndTheFolderStaysAsItIs(t *testing.T) {
	b := newSourcesBuild(t)
	file, err := b.cached(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), file).CombinedOutput(); string(out) != "here" || err != nil {
		t.Errorf("it prints %q, %v", out, err)
	}
	if err := b.checkUnchanged(); err != nil {
		t.Error(err)
	}
}

func TestAProgramIsNotKeptWhoseSourcesChangeWhileItIsBuilt(t *testing.T) {
	b := newSourcesBuild(t)
	writeSources(t, b.sources, map[string]string{"README.md": "another one"})
	if file, err := b.cached(t.Context()); err == nil || !strings.Contains(err.Error(), "have changed") {
		t.Errorf("got %s, %v", file, err)
	}
	if _, err := os.Stat(b.file); err == nil {
		t.Error("it is in the cache")
	}
}
