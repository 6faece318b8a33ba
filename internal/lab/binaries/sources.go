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
