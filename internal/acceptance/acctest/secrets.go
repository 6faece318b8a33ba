package acctest

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

// Middle returns a part of a text that no encoding of line breaks changes.
func Middle(text string) []byte {
	lines := strings.Split(text, "\n")
	line := lines[len(lines)/2]
	return []byte(line[len(line)/4 : len(line)/2])
}

// InNone fails the test if a file has one of these secrets. Both are keyed by their names.
func InNone(t *testing.T, files, secrets map[string][]byte) {
	t.Helper()
	for file, content := range files {
		for name, secret := range secrets {
			if bytes.Contains(content, secret) {
				t.Errorf("%s is in %s", name, file)
			}
		}
	}
}

// FilesIn returns the content of all regular files in a folder by their paths there, and of those in saved plans, which
// are archives. Installed programs are links, and so are not among them.
func FilesIn(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	Must(t, readAll(os.DirFS(folder), "", files))
	return files
}

func readAll(from fs.FS, parent string, into map[string][]byte) error {
	return fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := fs.ReadFile(from, name)
		name = path.Join(parent, name)
		into[name] = content
		if err != nil || path.Ext(name) != ".tfplan" {
			return err
		}
		archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return err
		}
		return readAll(archive, name, into)
	})
}
