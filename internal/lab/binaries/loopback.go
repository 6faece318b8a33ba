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

// listener is where the source of a program says on which address it listens. Liqo's programs are for pods, which have
// networks of their own: they listen on every address, and some ask nobody for credentials. In a lab they run on the
// machine, where only the machine itself may reach them.
type listener struct {
	file             string // in the program's module
	everywhere, here string // the text in the file, and what it is for a lab
}

// The listeners of Liqo's programs. A program without one listens nowhere, or where the lab tells it to.
var (
	ipamListener    = &listener{"cmd/ipam/main.go", `"0.0.0.0:%d"`, `"127.0.0.1:%d"`}
	webhookListener = &listener{
		"cmd/webhook/main.go", "Port: int(*webhookPort),", `Host: "127.0.0.1", Port: int(*webhookPort),`,
	}
	virtualKubeletListener = &listener{"cmd/virtual-kubelet/root/http.go", `"0.0.0.0:%d"`, `"127.0.0.1:%d"`}
)

// changed returns the file of a module, and its content for a lab.
func (l listener) changed(module string) (name string, content []byte, err error) {
	name = filepath.Join(module, filepath.FromSlash(l.file))
	if content, err = os.ReadFile(name); err != nil {
		return "", nil, err
	}
	if found := strings.Count(string(content), l.everywhere); found != 1 {
		return "", nil, fmt.Errorf("%s of %s has the text %s %d times and not once; with another one, the program would "+
			"listen on every address of this machine", l.file, filepath.Base(module), l.everywhere, found)
	}
	return name, []byte(strings.Replace(string(content), l.everywhere, l.here, 1)), nil
}

// change changes the program in a copy of its module.
func (l listener) change(module string) error {
	name, content, err := l.changed(module)
	if err != nil {
		return err
	}
	return os.WriteFile(name, content, 0o600)
}

// overlay lets the go command read the changed file in place of the one in the folder of the sources, which stays as
// it is. Remove removes the changed file.
func (b *build) overlay() (remove func(), err error) {
	name, content, err := b.changed(b.sources)
	if err != nil {
		return nil, err
	}
	temporary, err := os.MkdirTemp("", "liqo-lab-")
	if err != nil {
		return nil, err
	}
	remove = func() { _ = os.RemoveAll(temporary) }
	changed, overlay := filepath.Join(temporary, "main.go"), filepath.Join(temporary, "overlay.json")
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {name: changed}})
	if err == nil {
		err = errors.Join(os.WriteFile(changed, content, 0o600), os.WriteFile(overlay, replaced, 0o600))
	}
	if err != nil {
		remove()
		return nil, err
	}
	b.moduleFlags = []string{"-overlay=" + overlay}
	return remove, nil
}

// prepare lets a program that would listen on every address be built from a changed copy of its module. The go command
// has no other way for modules: it refuses an overlay for files in the module cache. Remove removes the copy.
func (b *build) prepare(ctx context.Context) (remove func(), err error) {
	if b.listener == nil {
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
		err = b.change(copied)
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
