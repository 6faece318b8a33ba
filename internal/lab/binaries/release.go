package binaries

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/sumdb/dirhash"
)

// LiqoRelease is the Liqo that a cluster runs: a published version, or the sources in a folder. The zero value stands
// for a cluster without Liqo. Clusters with equal releases run the same programs.
type LiqoRelease struct {
	Version LiqoVersion
	// Folder has the sources. It is empty for a published version.
	Folder string
}

// unpublishedLiqo returns the release of the sources in a folder. Its version is newer than the published one that they
// follow, older than any later one, and another one for every hash of the sources.
func unpublishedLiqo(folder string, follows LiqoVersion, hash string) (LiqoRelease, error) {
	var major, minor, patch int
	if _, err := fmt.Sscanf(semver.Canonical(string(follows)), "v%d.%d.%d", &major, &minor, &patch); err != nil {
		return LiqoRelease{}, fmt.Errorf("%q is not a version: %w", follows, err)
	}
	version := fmt.Sprintf("v%d.%d.%d-0.sources.%s", major, minor, patch+1, hash)
	return LiqoRelease{Version: LiqoVersion(version), Folder: folder}, nil
}

// OlderLiqo returns the older of two releases.
func OlderLiqo(a, b LiqoRelease) LiqoRelease {
	if b.Version.before(a.Version) {
		return b
	}
	return a
}

// LiqoVersion is a version of Liqo, with a leading v.
type LiqoVersion string

// oldestLiqo is the first version that the lab can run. Those before it have another API.
const oldestLiqo LiqoVersion = "v1.0.0"

// ParseLiqoVersion parses a release such as v1.1.2. It does not check that the release exists.
func ParseLiqoVersion(text string) (LiqoVersion, error) {
	v := LiqoVersion(text)
	if semver.Canonical(text) != text || semver.Prerelease(text) != "" || v.before(oldestLiqo) {
		return "", fmt.Errorf("%q is not a version of Liqo from %s on, such as v1.1.2", text, oldestLiqo)
	}
	return v, nil
}

func (v LiqoVersion) before(other LiqoVersion) bool {
	return semver.Compare(string(v), string(other)) < 0
}

// RunsWireGuardGo reports whether liqo-wireguard starts the program wireguard-go for WireGuard in
// user space. Later versions contain it.
func (v LiqoVersion) RunsWireGuardGo() bool { return v.before("v1.2.0") }

// ParseLiqo parses a version of Liqo, such as v1.1.2, or a folder with its sources, such as ./liqo. It does not check
// that the version exists.
func ParseLiqo(ctx context.Context, text string) (LiqoRelease, error) {
	if strings.ContainsRune(text, filepath.Separator) {
		return liqoFrom(ctx, text)
	}
	version, err := ParseLiqoVersion(text)
	if err != nil {
		err = fmt.Errorf("%w; a folder with Liqo's sources is written with a slash, as ./liqo", err)
	}
	return LiqoRelease{Version: version}, err
}

// liqoFrom returns the release of the sources of Liqo in a folder.
func liqoFrom(ctx context.Context, folder string) (LiqoRelease, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return LiqoRelease{}, err
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil { // an overlay of the go command needs the true path
		return LiqoRelease{}, err
	}
	goMod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return LiqoRelease{}, fmt.Errorf("%s has no sources of Liqo: %w", folder, err)
	}
	if module := modfile.ModulePath(goMod); module != liqoModule {
		return LiqoRelease{}, fmt.Errorf("%s has the sources of %s, not of %s", folder, module, liqoModule)
	}
	hash, err := hashOf(folder)
	if err != nil {
		return LiqoRelease{}, err
	}
	follows, err := lastTag(ctx, folder)
	if err != nil {
		return LiqoRelease{}, err
	}
	return unpublishedLiqo(folder, follows, hash)
}

// lastTag returns the published version that the sources in a folder follow: the last tag in their history or, without
// one, the version that the lab pins.
func lastTag(ctx context.Context, folder string) (LiqoVersion, error) {
	// It fails outside of a repository, and in one that was cloned without tags.
	if tag, err := output(ctx, folder, "git", "describe", "--tags", "--abbrev=0", "--match=v[0-9]*"); err == nil &&
		semver.IsValid(tag) {
		return LiqoVersion(tag), nil
	}
	pinned, err := DefaultLiqo()
	return pinned.Version, err
}

// hashOf is a short hash of the content of a folder, without git's own files.
func hashOf(folder string) (string, error) {
	var files []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Name() == ".git": // a worktree has a file of this name
			if entry.IsDir() {
				return fs.SkipDir
			}
		case entry.Type().IsRegular():
			name, err := filepath.Rel(folder, path)
			files = append(files, name)
			return err
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	hash, err := dirhash.Hash1(files, func(name string) (io.ReadCloser, error) {
		return os.Open(filepath.Join(folder, name))
	})
	if err != nil {
		return "", err
	}
	return "h" + cacheKey([]byte(hash)), nil // a version has no part of digits that begins with a zero
}

// checkUnchanged fails if the sources of a program have changed since their version was determined.
func (b *build) checkUnchanged() error {
	hash, err := hashOf(b.sources)
	if err == nil && !strings.HasSuffix(b.version, "."+hash) {
		err = fmt.Errorf("the sources in %s have changed while they were built; build them again", b.sources)
	}
	return err
}
