package main

import (
	"regexp"
	"strings"
)

// entry is the explanation of one trouble.
type entry struct {
	id      string
	title   string // the headline; from the code unless the entry has a line `Title: …`
	symptom string // the section of the guide
	text    string // Markdown
	file    string
}

var (
	symptomLine = regexp.MustCompile(`^# (.+)$`)
	idLine      = regexp.MustCompile(`^## ([a-z0-9-]+)$`)
	titleLine   = regexp.MustCompile(`^Title: (.+)$`)
)

// parse reads the entries of a file. Each begins with its ID as a heading of the second level, below its symptom as a
// heading of the first level.
func parse(file, text string) []entry {
	var (
		entries []entry
		symptom string
		fenced  bool
	)
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		fenced = fenced != strings.HasPrefix(strings.TrimSpace(line), "```")
		if !fenced {
			if match := symptomLine.FindStringSubmatch(line); match != nil {
				symptom = match[1]
				continue
			}
			if match := idLine.FindStringSubmatch(line); match != nil {
				entries = append(entries, entry{id: match[1], symptom: symptom, file: file})
				continue
			}
		}
		if len(entries) == 0 {
			continue
		}
		last := &entries[len(entries)-1]
		if match := titleLine.FindStringSubmatch(line); match != nil && strings.TrimSpace(last.text) == "" {
			last.title = match[1]
			continue
		}
		last.text += line + "\n"
	}
	for i := range entries {
		entries[i].text = strings.TrimSpace(entries[i].text)
	}
	return entries
}

// has reports whether a paragraph of the entry begins with these words.
func (e entry) has(words string) bool {
	return strings.Contains("\n\n"+e.text, "\n\n"+words)
}
