package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const repository = "../../.."

// entriesHere reads the repository once.
var entriesHere = sync.OnceValues(func() ([]entry, error) { return entriesOf(repository) })

func TestEachTroubleHasAnEntryAndEachEntryATrouble(t *testing.T) {
	if _, err := entriesHere(); err != nil {
		t.Error(err)
	}
}

func TestTheGuideHasAPlaceForEachEntry(t *testing.T) {
	entries, err := entriesHere()
	if err != nil {
		t.Fatal(err)
	}
	template, err := os.ReadFile(filepath.Join(repository, "templates", "guides", "troubleshooting.md.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := fill(string(template), entries)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.Contains(page, `<a id="`+e.id+`"></a>`) || !strings.Contains(page, e.text) {
			t.Errorf("the guide lacks the entry %s", e.id)
		}
	}
}

const twoEntries = `# Packets get lost

## cable-cut

Somebody has cut the cable.

` + "```shell\n# not a symptom\n## not-an-id\n```" + `

**Fix:** mend it.

**Verify:** the light is on.

## cable-long

Title: The cable is … m long

Move.
`

func TestAnEntryIsEverythingUpToTheNextOne(t *testing.T) {
	entries := parse("a.md", twoEntries)
	if len(entries) != 2 || entries[0].id != "cable-cut" || entries[0].symptom != "Packets get lost" ||
		!strings.Contains(entries[0].text, "## not-an-id") || !strings.HasSuffix(entries[0].text, "the light is on.") ||
		entries[1].title != "The cable is … m long" || entries[1].text != "Move." {
		t.Errorf("got %+v", entries)
	}
	if err := complete(entries); err == nil || !strings.Contains(err.Error(), "cable-long has no paragraph **Fix:**") ||
		strings.Contains(err.Error(), "cable-cut") {
		t.Errorf("the error is %v", err)
	}
}

func TestATroubleWithoutAnEntryAndAnEntryWithoutATroubleAreErrors(t *testing.T) {
	code := source{headlines: map[string]string{"cable-long": "", "cable-lost": ""}, nameless: []string{"a.go:1:1"}}
	err := code.title(append(parse("a.md", twoEntries), entry{id: "cable-long", file: "b.md"}))
	says(t, err, "a.md: nothing in the code has the ID cable-cut", "no entry explains cable-lost",
		"a.go:1:1: a headline without an ID", "b.md: a.md has another entry of cable-long")
}

// says fails a test for each of the parts that an error lacks.
func says(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error lacks %q: %v", part, err)
		}
	}
}

func TestAnEntryTakesItsTitleFromTheCode(t *testing.T) {
	code := source{headlines: map[string]string{"cable-cut": "The cable to … is cut", "cable-long": "The cable is long"}}
	entries := parse("a.md", twoEntries)
	if err := code.title(entries); err != nil || entries[0].title != "The cable to … is cut" ||
		entries[1].title != "The cable is … m long" {
		t.Errorf("got %+v, %v", entries, err)
	}
	entries = parse("a.md", twoEntries)
	code.headlines["cable-cut"] = ""
	says(t, code.title(entries), "cable-cut needs a line `Title: …`")
}

func TestASectionWithoutEntriesAndAnEntryWithoutASectionAreErrors(t *testing.T) {
	_, err := fill("<!-- entries: Nothing happens -->\n", parse("a.md", twoEntries))
	says(t, err, `no entry has the symptom "Nothing happens"`, `no section for the symptom "Packets get lost"`)
}
