package doccheck

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// The addresses at which readers find docs/ and the repository.
const (
	registry = "https://registry.terraform.io/providers/leafmesh/liqo/"
	latest   = registry + "latest/docs"
	blob     = "https://github.com/leafmesh/terraform-provider-liqo/blob/main/"
	tree     = "https://github.com/leafmesh/terraform-provider-liqo/tree/main/"
	raw      = "https://raw.githubusercontent.com/leafmesh/terraform-provider-liqo/main/"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
	fenced  = regexp.MustCompile("(?m)^[ \t]*```(?s:.*?)\n[ \t]*```")
)

// TestEveryLinkWorksInTheRepositoryAndInTheRegistry resolves links from where readers click on them: GitHub shows the
// repository, and the registry shows docs/ without the suffix of the files.
func TestEveryLinkWorksInTheRepositoryAndInTheRegistry(t *testing.T) {
	files := pages(t, []string{
		"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "MAINTAINERS.md", "CODE_OF_CONDUCT.md", "docs",
		"examples", "internal",
	}, ".md")
	for _, file := range files {
		if strings.Contains(file, "/testdata/") || strings.HasPrefix(path.Base(file), "troubles") {
			continue // entries of a guide, whose links begin there
		}
		addresses := []string{blob + file}
		if strings.HasPrefix(file, "docs/") {
			addresses = append(addresses, addressOf(file))
		}
		for _, found := range link.FindAllStringSubmatch(fenced.ReplaceAllString(read(t, file), ""), -1) {
			for _, address := range addresses {
				if problem := broken(t, address, found[1]); problem != "" {
					t.Errorf("%s: the link to %s is broken at %s: %s", file, found[1], address, problem)
				}
			}
		}
	}
}

// broken returns what is wrong with a link of the page at an address, unless it leads to somewhere else.
func broken(t *testing.T, address, link string) string {
	t.Helper()
	from, err := url.Parse(address)
	if err != nil {
		return err.Error()
	}
	to, err := from.Parse(link)
	if err != nil {
		return err.Error()
	}
	anchor := to.Fragment
	to.Fragment = ""
	file, ours := fileAt(t, to.String())
	switch {
	case !ours:
		return ""
	case !exists(file):
		return "there is no " + file
	case anchor != "" && path.Ext(file) == ".md" && !hasAnchor(t, file, anchor):
		return file + " has no heading #" + anchor
	}
	return ""
}

// fileAt returns the file of the repository that readers find at an address, and whether they look for it there at all.
func fileAt(t *testing.T, address string) (file string, ours bool) {
	t.Helper()
	for _, folder := range []string{blob, tree, raw} {
		if file, ours = strings.CutPrefix(address, folder); ours {
			return file, true
		}
	}
	for _, page := range pages(t, []string{"docs"}, ".md") {
		if addressOf(page) == strings.TrimSuffix(address, ".md") {
			return page, true
		}
	}
	return strings.CutPrefix(address, registry)
}

// addressOf returns where the registry shows a page of docs/. The address of docs/index.md has no slash at its end, so
// links that are relative to it would leave docs/.
func addressOf(page string) string {
	return strings.TrimSuffix(latest+strings.TrimSuffix(strings.TrimPrefix(page, "docs"), ".md"), "/index")
}

func hasAnchor(t *testing.T, page, anchor string) bool {
	t.Helper()
	text := read(t, page)
	if strings.Contains(text, `<a id="`+anchor+`"></a>`) { // as nested blocks of a schema have it
		return true
	}
	headings := heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1)
	return slices.ContainsFunc(headings, func(found []string) bool { return anchorOf(found[1]) == anchor })
}

// anchorOf returns the anchor of a heading.
func anchorOf(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		default:
			return -1
		}
	}, text)
}

func TestALinkIsResolvedAsTheRegistryDoes(t *testing.T) {
	for name, test := range map[string]struct {
		page, link string
		broken     bool
	}{
		"relative to the overview":       {"docs/index.md", "guides/security-model.md", true},
		"absolute from the overview":     {"docs/index.md", latest + "/guides/security-model", false},
		"from a guide to a resource":     {"docs/guides/security-model.md", "../resources/shortcut.md", false},
		"from a guide to the overview":   {"docs/guides/security-model.md", "../index.md", true},
		"to a heading that is not there": {"docs/guides/security-model.md", "lifecycle.md#nothing", true},
		"to another site":                {"docs/guides/security-model.md", "https://liqo.io", false},
	} {
		t.Run(name, func(t *testing.T) {
			if problem := broken(t, addressOf(test.page), test.link); (problem != "") != test.broken {
				t.Errorf("%q", problem)
			}
		})
	}
}

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
