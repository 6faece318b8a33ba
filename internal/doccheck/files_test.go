package doccheck

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// repository is the folder in which all paths begin.
const repository = "../.."

// read returns the text of a file.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// exists reports whether there is a file or a folder.
func exists(path string) bool {
	_, err := os.Stat(filepath.Join(repository, filepath.FromSlash(path)))
	return err == nil
}

// pages returns the files below the folders, and the files among the names, whose names end with one of the suffixes.
func pages(t *testing.T, names []string, suffixes ...string) []string {
	t.Helper()
	var found []string
	for _, name := range names {
		err := filepath.WalkDir(filepath.Join(repository, name), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !slices.Contains(suffixes, filepath.Ext(path)) {
				return err
			}
			relative, err := filepath.Rel(repository, path)
			found = append(found, filepath.ToSlash(relative))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}
