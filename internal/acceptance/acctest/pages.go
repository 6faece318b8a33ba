package acctest

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// SectionOf returns the text of a section of one of the repository's files in Markdown.
func SectionOf(t *testing.T, file, title string) string {
	t.Helper()
	text, err := os.ReadFile(Root + "/" + file)
	Must(t, err)
	_, section, found := strings.Cut(string(text), "\n## "+title+"\n")
	if !found {
		t.Fatalf("%s has no section %q", file, title)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

// BlockOf returns the first block of code of a language in a text of Markdown.
func BlockOf(t *testing.T, text, language string) string {
	t.Helper()
	return BlocksOf(t, text, language)[0]
}

// BlocksOf returns all blocks of code of a language in a text of Markdown.
func BlocksOf(t *testing.T, text, language string) []string {
	t.Helper()
	var blocks []string
	for _, block := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, block[1])
	}
	if blocks == nil {
		t.Fatalf("no block of %s in:\n%s", language, text)
	}
	return blocks
}
