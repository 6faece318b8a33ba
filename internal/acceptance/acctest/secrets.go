package acctest

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Middle returns a part of a text that no encoding of line breaks changes.
func Middle(text string) []byte {
	lines := strings.Split(text, "\n")
	line := lines[len(lines)/2]
	return []byte(line[len(line)/4 : len(line)/2])
}

// WrittenFile is a file, or one in an archive.
type WrittenFile struct {
	Name    string
	Content []byte
}

// FilesIn returns all regular files in a folder, and those in saved plans, which are archives. Installed programs are
// links, and so are not among them.
func FilesIn(t *testing.T, folder string) []WrittenFile {
	t.Helper()
	var files []WrittenFile
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		path = filepath.Join(folder, path)
		content, err := os.ReadFile(path)
		files = append(files, WrittenFile{path, content})
		if err != nil || filepath.Ext(path) != ".tfplan" {
			return err
		}
		archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return err
		}
		for _, packed := range archive.File {
			reader, err := packed.Open()
			if err != nil {
				return err
			}
			unpacked, err := io.ReadAll(reader)
			files = append(files, WrittenFile{path + "/" + packed.Name, unpacked})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
