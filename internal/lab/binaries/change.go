package binaries

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// change is what the lab changes in the source of a program before it builds the program.
type change interface {
	// files returns the files of the program's module that change, by their names, with their content for a lab.
	files(module string) (map[string][]byte, error)
	// key tells this change from others.
	key() [][]byte
}

// makeIn makes a change in a copy of the program's module.
func makeIn(module string, c change) error {
	files, err := c.files(module)
	for name, content := range files {
		err = errors.Join(err, os.WriteFile(name, content, 0o600))
	}
	return err
}

// prepare lets a program whose source changes be built from a changed copy of its module. The go command has no other
// way for modules: it refuses an overlay for files in the module cache. Remove removes the copy.
func (b *build) prepare(ctx context.Context) (remove func(), err error) {
	if b.change == nil {
		return func() {}, nil
	}
	if b.sources != "" {
		return b.overlay()
	}
	module, err := sourceFolder(ctx, b.source, b.version)
	if err != nil {
		return nil, err
	}
	temporary, err := os.MkdirTemp("", "liqo-lab-")
	if err != nil {
		return nil, err
	}
	remove = func() { _ = os.RemoveAll(temporary) }
	copied := filepath.Join(temporary, filepath.Base(module))
	if err = os.CopyFS(copied, os.DirFS(module)); err == nil {
		err = makeIn(copied, b.change)
	}
	if err == nil && b.folder == module {
		b.folder = copied
	} else if err == nil {
		err = b.replaceSource(copied, filepath.Join(temporary, "go.mod"))
	}
	if err != nil {
		remove()
	}
	return remove, err
}

// overlay lets the go command read the changed files in place of those in the folder of the sources, which stays as it
// is. Remove removes the changed files.
func (b *build) overlay() (remove func(), err error) {
	files, err := b.change.files(b.sources)
	if err != nil {
		return nil, err
	}
	temporary, err := os.MkdirTemp("", "liqo-lab-")
	if err != nil {
		return nil, err
	}
	remove = func() { _ = os.RemoveAll(temporary) }
	changed := make(map[string]string, len(files))
	for name, content := range files {
		changed[name] = filepath.Join(temporary, fmt.Sprintf("%d.go", len(changed)))
		err = errors.Join(err, os.WriteFile(changed[name], content, 0o600))
	}
	overlay := filepath.Join(temporary, "overlay.json")
	replaced, failure := json.Marshal(map[string]map[string]string{"Replace": changed})
	if err = errors.Join(err, failure, os.WriteFile(overlay, replaced, 0o600)); err != nil {
		remove()
		return nil, err
	}
	b.moduleFlags = []string{"-overlay=" + overlay}
	return remove, nil
}

// replaceSource lets the go command take the program's module from a folder. To is a go.mod, which it writes.
func (b *build) replaceSource(folder, to string) error {
	goMod, err := os.ReadFile(filepath.Join(b.folder, "go.mod"))
	if err != nil {
		return err
	}
	goSum, err := os.ReadFile(filepath.Join(b.folder, "go.sum"))
	if err != nil {
		return err
	}
	parsed, err := modfile.Parse("go.mod", goMod, nil)
	if err != nil {
		return err
	}
	if err := parsed.AddReplace(b.source, "", folder, ""); err != nil {
		return err
	}
	if goMod, err = parsed.Format(); err != nil {
		return err
	}
	b.moduleFlags = []string{"-modfile=" + to}
	return errors.Join(
		os.WriteFile(to, goMod, 0o600), os.WriteFile(strings.TrimSuffix(to, "mod")+"sum", goSum, 0o600))
}
