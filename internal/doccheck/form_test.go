package doccheck

import (
	"regexp"
	"strings"
	"testing"
)

func TestTheRegistryShowsEveryPageInAGroupAndWithoutTheSourceOfAPicture(t *testing.T) {
	group := regexp.MustCompile(`(?m)^subcategory: "(.*)"$`)
	for _, page := range pages(t, []string{"docs"}, ".md") {
		text := read(t, page)
		if strings.Contains(text, "```mermaid") || strings.Contains(text, "```dot") {
			t.Errorf("%s has the source of a picture, which the registry shows as text. Show an SVG file of pictures/", page)
		}
		found := group.FindStringSubmatch(text)
		switch {
		case page == "docs/index.md", strings.HasPrefix(page, "docs/functions/"): // the registry does not group them
		case len(found) < 2 || found[1] == "":
			t.Errorf("%s has no subcategory", page)
		}
	}
}

// TestUsersReadAmericanEnglish knows the British words that writers of this documentation have used or could use.
func TestUsersReadAmericanEnglish(t *testing.T) {
	british := regexp.MustCompile(`(?i)\b(\w*(centre|neighbour|colour|behaviour|favour|licence|analyse|catalogue)(s|d)?|` +
		`dialled|dialling|cancelled|cancelling|labelled|labelling|spelt|whilst|artefacts?|` +
		`(organi|recogni|authori|initiali|optimi|customi|minimi|synchroni|summari)s(e|es|ed|ing|ation))\b`)
	for _, file := range pages(t, []string{
		"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "templates", "examples",
	}, ".md", ".tmpl", ".tf", ".hcl", ".yaml") {
		number := 0
		for line := range strings.Lines(read(t, file)) {
			number++
			if word := british.FindString(line); word != "" {
				t.Errorf("%s:%d: %q is British. The documentation is in American English", file, number, word)
			}
		}
	}
}
