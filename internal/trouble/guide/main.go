// guide fills the troubleshooting guide. In place of each comment
//
//	<!-- entries: SYMPTOM -->
//
// the guide gets the entries of this symptom. They come from the files troubles*.md beside the code that reports the
// troubles, and their headlines from that code. Run it in the repository's root, with the path of the guide:
//
//	go run ./internal/trouble/guide docs/guides/troubleshooting.md
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
)

const worldReadable = 0o644

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: guide PAGE")
	}
	if err := fillFile(".", os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// fillFile fills a page with the entries in the repository.
func fillFile(repository, name string) error {
	page, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	entries, err := entriesOf(repository)
	if err != nil {
		return err
	}
	filled, err := fill(string(page), entries)
	if err != nil {
		return err
	}
	return os.WriteFile(name, []byte(filled), worldReadable)
}

// entriesOf returns all entries, with titles. It fails unless each trouble in the code has one entry, and each entry a
// trouble.
func entriesOf(repository string) ([]entry, error) {
	source, err := readSource(repository)
	if err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(repository, "internal", "*", "troubles*.md"))
	if err != nil {
		return nil, err
	}
	var entries []entry
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		entries = append(entries, parse(name, string(text))...)
	}
	return entries, errors.Join(source.title(entries), complete(entries))
}

// complete fails for entries that do not say what to do.
func complete(entries []entry) error {
	var errs []error
	for _, e := range entries {
		if !e.has("**Fix:**") {
			errs = append(errs, fmt.Errorf("%s: entry %s has no paragraph **Fix:**", e.file, e.id))
		}
	}
	return errors.Join(errs...)
}
