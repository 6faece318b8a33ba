package binaries

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// prepare lets a program be built whose source changes. Remove removes what that takes.
func (b *build) prepare(ctx context.Context) (remove func(), err error) {
	if b.change == nil {
		return func() {}, nil
	}
	temporary, err := os.MkdirTemp("", "liqo-lab-")
	if err != nil {
		return nil, err
	}
	remove = func() { _ = os.RemoveAll(temporary) }
	if b.sources != "" {
		err = b.overlay(temporary)
	} else {
		err = b.copyModule(ctx, temporary)
	}
	if err != nil {
		remove()
	}
	return remove, err
}

// copyModule lets the go command take the program's module from a changed copy. It has no other way for modules: it
// refuses an overlay for files in the module cache.
func (b *build) copyModule(ctx context.Context, temporary string) error {
	module, err := sourceFolder(ctx, b.source, b.version, "")
	if err != nil {
		return err
	}
	copied := filepath.Join(temporary, filepath.Base(module))
	if err := os.CopyFS(copied, os.DirFS(module)); err != nil {
		return err
	}
	if err := makeIn(copied, b.change); err != nil {
		return err
	}
	if b.folder == module {
		b.folder = copied
		return nil
	}
	goMod, goSum, err := moduleFiles(b.folder)
	if err != nil {
		return err
	}
	to := filepath.Join(temporary, "go.mod")
	b.moduleFlags = []string{"-modfile=" + to}
	err = errors.Join(os.WriteFile(to, goMod, 0o600), os.WriteFile(filepath.Join(temporary, "go.sum"), goSum, 0o600))
	if err != nil {
		return err
	}
	_, err = goCommand(ctx, temporary, "mod", "edit", "-replace="+b.source+"="+copied, to)
	return err
}

// overlay lets the go command read the changed files in place of those in the folder of the sources, which stays as it
// is.
func (b *build) overlay(temporary string) error {
	files, err := b.change.files(b.sources)
	changed := make(map[string]string, len(files))
	for name, content := range files {
		changed[name] = filepath.Join(temporary, fmt.Sprintf("%d.go", len(changed)))
		err = errors.Join(err, os.WriteFile(changed[name], content, 0o600))
	}
	overlay := filepath.Join(temporary, "overlay.json")
	replaced, failure := json.Marshal(map[string]map[string]string{"Replace": changed})
	b.moduleFlags = []string{"-overlay=" + overlay}
	return errors.Join(err, failure, os.WriteFile(overlay, replaced, 0o600))
}

// listener is where the source of a program says on which address it listens. Liqo's programs are for pods, which have
// networks of their own: they listen on every address, and some ask nobody for credentials. In a lab they run on the
// machine, where only the machine itself may reach them.
type listener struct {
	file             string // in the program's module
	everywhere, here string // the text in the file, and what it is for a lab
}

// The listeners of Liqo's programs. A program without one listens nowhere, or where the lab tells it to.
var (
	ipamListener    = listener{"cmd/ipam/main.go", `"0.0.0.0:%d"`, `"127.0.0.1:%d"`}
	webhookListener = listener{
		"cmd/webhook/main.go", "Port: int(*webhookPort),", `Host: "127.0.0.1", Port: int(*webhookPort),`,
	}
	virtualKubeletListener = listener{"cmd/virtual-kubelet/root/http.go", `"0.0.0.0:%d"`, `"127.0.0.1:%d"`}
)

// files implements [change].
func (l listener) files(module string) (map[string][]byte, error) {
	name := filepath.Join(module, filepath.FromSlash(l.file))
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if found := strings.Count(string(content), l.everywhere); found != 1 {
		return nil, fmt.Errorf("%s of %s has the text %s %d times and not once; with another one, the program would "+
			"listen on every address of this machine", l.file, filepath.Base(module), l.everywhere, found)
	}
	return map[string][]byte{name: []byte(strings.Replace(string(content), l.everywhere, l.here, 1))}, nil
}

// key implements [change].
func (l listener) key() [][]byte {
	return [][]byte{[]byte(l.file), []byte(l.everywhere), []byte(l.here)}
}
