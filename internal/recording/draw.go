package main

import (
	"fmt"
	"html"
	"regexp"
	"strings"
)

const (
	pause = 1.5 // seconds to read a screen
	last  = 3   // pauses for which the last screen stays

	rows, height = 22, 20 // of the screen, and of a row in pixels
)

// A line that matches begins the next screen.
var begins = regexp.MustCompile(`^(==> |.* complete after )`)

// svg is the picture. Its background makes it look the same on light and on dark pages. 80 characters of each of these
// fonts fit into its width. Where nothing may move, it shows the last screen.
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="720" height="480" viewBox="0 0 720 480">
<title>A recording of make demo</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;fill:#e6edf3;white-space:pre}
.step{fill:#79c0ff;font-weight:bold}
.good{fill:#7ee787}
.pale{fill:#9198a1}
#log{transform:translateY(%dpx);animation:scroll %.1fs step-end infinite}
@media (prefers-reduced-motion:reduce){#log{animation:none}}
@keyframes scroll{
%s}
</style>
<rect x="1" y="1" width="718" height="478" rx="8" fill="#161b22" stroke="#6e7681"/>
<svg x="20" y="20" width="680" height="440">
<g id="log">
%s</g>
</svg>
</svg>
`

// A line belongs to the first of these classes that matches it. An empty line belongs to none.
var classes = []struct {
	name  string
	lines *regexp.Regexp
}{
	{"step", regexp.MustCompile(`^(==>|\$) `)},
	{"good", regexp.MustCompile(` complete|^No changes|Connected|nothing is left| in [\d.]+ ms`)},
	{"pale", regexp.MustCompile(`^…$|^ {4}\(.*\)$`)},
	{"text", regexp.MustCompile(`.`)},
}

// draw returns an SVG of the steps that follow the start of the clusters. They appear one after the other, at the
// bottom of a screen that scrolls.
func draw(log string) string {
	const first, summary = "==> [4/", "==> All steps passed"
	_, log, _ = strings.Cut(log, first)
	log, _, _ = strings.Cut(ranges.ReplaceAllString(log, "…\n"), summary)
	lines := strings.Split("$ make demo\n…\n\n"+first+strings.TrimSpace(log), "\n")

	var shown []int // the number of lines, by screen
	var text strings.Builder
	for i, line := range lines {
		if begins.MatchString(line) {
			shown = append(shown, i)
		}
		for _, class := range classes {
			if class.lines.MatchString(line) {
				fmt.Fprintf(&text, "<text y=\"%d\" class=%q>%s</text>\n", i*height+15, class.name, html.EscapeString(line))
				break
			}
		}
	}
	shown = append(shown, len(lines))

	pauses := len(shown) - 1 + last
	offset := func(shown int) int { return (rows - shown) * height }
	var scroll strings.Builder
	for i, lines := range shown {
		fmt.Fprintf(&scroll, "%.2f%%{transform:translateY(%dpx)}\n", 100*float64(i)/float64(pauses), offset(lines))
	}
	return fmt.Sprintf(svg, offset(len(lines)), pause*float64(pauses), &scroll, &text)
}
