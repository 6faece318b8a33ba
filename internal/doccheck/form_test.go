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
