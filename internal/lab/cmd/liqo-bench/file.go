package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// writeFile writes a file and creates its folder.
func writeFile(path string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
