package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

var marker = regexp.MustCompile(`(?m)^<!-- entries: (.+) -->$`)

// fill replaces each marker in a page by the entries of its symptom. It fails if the page has no place for an entry, or
// no entry for a place.
func fill(page string, entries []entry) (string, error) {
	var errs []error
	placed := map[string]bool{} // keyed by the symptom
	page = marker.ReplaceAllStringFunc(page, func(found string) string {
		symptom := marker.FindStringSubmatch(found)[1]
		placed[symptom] = true
		var texts strings.Builder
		for _, e := range entries {
			if e.symptom == symptom {
				fmt.Fprintf(&texts, "\n<a id=%q></a>\n\n### %s\n\n%s\n", e.id, e.title, e.text)
			}
		}
		if texts.Len() == 0 {
			errs = append(errs, fmt.Errorf("no entry has the symptom %q", symptom))
		}
		return strings.Trim(texts.String(), "\n")
	})
	for _, e := range entries {
		if !placed[e.symptom] {
			errs = append(errs, fmt.Errorf("%s: the guide has no section for the symptom %q of %s", e.file, e.symptom, e.id))
		}
	}
	return page, errors.Join(errs...)
}
