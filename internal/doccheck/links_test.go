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
	registry = "https://registry.terraform.io/providers/leafmesh/liqo/latest/docs"
	github   = "https://github.com/leafmesh/terraform-provider-liqo/"
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
		"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs", "internal",
	}, ".md")
	for _, file := range files {
		if strings.Contains(file, "/testdata/") || strings.HasPrefix(path.Base(file), "troubles") {
			continue // entries of a guide, whose links begin there
		}
		for _, found := range link.FindAllStringSubmatch(fenced.ReplaceAllString(read(t, file), ""), -1) {
			target := found[1]
			if problem := inRepository(t, file, target); problem != "" {
				t.Errorf("%s: the link to %s is broken in the repository: %s", file, target, problem)
			}
			if strings.HasPrefix(file, "docs/") {
				if problem := inRegistry(t, file, target); problem != "" {
					t.Errorf("%s: the link to %s is broken in the registry: %s", file, target, problem)
				}
			}
		}
	}
}

// inRepository returns what is wrong with a link of a file as GitHub resolves it.
func inRepository(t *testing.T, file, target string) string {
	t.Helper()
	if strings.HasPrefix(target, registry) {
		return "" // it leads to the registry from here, too
	}
	for _, prefix := range []string{raw, github + "blob/main/", github + "tree/main/"} {
		if rest, ours := strings.CutPrefix(target, prefix); ours {
			file, target = "README.md", rest
		}
	}
	parsed, err := url.Parse(target)
	if err != nil {
		return err.Error()
	}
	if parsed.IsAbs() {
		return ""
	}
	to := file
	if parsed.Path != "" {
		to = path.Join(path.Dir(file), parsed.Path)
	}
	if strings.HasPrefix(to, "..") {
		return "" // a page of GitHub beside the repository, such as its list of security advisories
	}
	if !exists(to) {
		return "there is no " + to
	}
	return missingAnchor(t, to, parsed.Fragment)
}

// inRegistry returns what is wrong with a link of a page as the registry resolves it. The address of docs/index.md has
// no slash at its end, so links that are relative to it would leave docs/.
func inRegistry(t *testing.T, file, target string) string {
	t.Helper()
	base, err := url.Parse(addressOf(file))
	if err != nil {
		return err.Error()
	}
	to, err := base.Parse(target)
	if err != nil {
		return err.Error()
	}
	if !strings.HasPrefix(to.String(), strings.TrimSuffix(registry, "latest/docs")) {
		return ""
	}
	fragment := to.Fragment
	to.Fragment = ""
	address := strings.TrimSuffix(to.String(), ".md")
	for _, page := range pages(t, []string{"docs"}, ".md") {
		if addressOf(page) == address {
			return missingAnchor(t, page, fragment)
		}
	}
	return "no page has the address " + address
}

// addressOf returns where the registry shows a page of docs/.
func addressOf(page string) string {
	name := strings.TrimSuffix(strings.TrimPrefix(page, "docs/"), ".md")
	if name == "index" {
		return registry
	}
	return registry + "/" + name
}

// missingAnchor returns an error if the page has no heading with this anchor.
func missingAnchor(t *testing.T, page, anchor string) string {
	t.Helper()
	if anchor == "" || path.Ext(page) != ".md" {
		return ""
	}
	var anchors []string
	for _, found := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(read(t, page), ""), -1) {
		anchors = append(anchors, anchorOf(found[1]))
	}
	// Nested blocks of a schema have anchors of their own.
	if slices.Contains(anchors, anchor) || strings.Contains(read(t, page), `<a id="`+anchor+`"></a>`) {
		return ""
	}
	return page + " has no heading #" + anchor
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
	}, strings.ReplaceAll(text, "`", ""))
}

func TestALinkIsResolvedAsTheRegistryDoes(t *testing.T) {
	for name, test := range map[string]struct {
		file, target string
		broken       bool
	}{
		"relative to the overview":       {"docs/index.md", "guides/trust.md", true},
		"absolute from the overview":     {"docs/index.md", registry + "/guides/trust", false},
		"from a guide to a resource":     {"docs/guides/trust.md", "../resources/shortcut.md", false},
		"from a guide to the overview":   {"docs/guides/trust.md", "../index.md", true},
		"to a heading that is not there": {"docs/guides/trust.md", "lifecycle.md#nothing", true},
		"to another site":                {"docs/guides/trust.md", "https://liqo.io", false},
	} {
		if problem := inRegistry(t, test.file, test.target); (problem != "") != test.broken {
			t.Errorf("%s: %q", name, problem)
		}
	}
}
