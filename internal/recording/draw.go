package main

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"time"
)

const (
	longest = 1500 * time.Millisecond // the demo's own pauses are shortened to this; also the time to read a step
	end     = 4 * time.Second         // how long the last screen stays

	rows, height = 22, 20 // of the screen, and of a row in pixels
)

// line is a line of the recording. It appears this long after the one before it.
type line struct {
	text  string
	pause time.Duration
}

var (
	took  = regexp.MustCompile(`(?m)^ {4}\(([\d.]+\w+)\)$`)
	after = regexp.MustCompile(` complete after (\d+s)`)
)

// linesOf returns the steps of the demo that follow the start of the clusters, with the pauses that the log tells.
func linesOf(log string) []line {
	_, log, _ = strings.Cut(log, "==> [3/")
	log, _, _ = strings.Cut(ranges.ReplaceAllString(log, "…\n"), "==> Every step held")
	lines := []line{{"$ make demo", 0}, {"…", 0}}
	for _, step := range strings.Split(log, "==> ")[1:] {
		lines = append(lines, line{"", longest})
		for i, text := range strings.Split("==> "+strings.TrimSpace(step), "\n") {
			pause := sum(after, text)
			if i == 1 { // what comes before Terraform's first change
				pause = sum(took, step) - sum(after, step)
			}
			lines = append(lines, line{text, min(max(pause, 0), longest)})
		}
	}
	return lines
}

// sum adds all durations that a pattern finds.
func sum(pattern *regexp.Regexp, text string) (all time.Duration) {
	for _, found := range pattern.FindAllStringSubmatch(text, -1) {
		duration, _ := time.ParseDuration(found[1])
		all += duration
	}
	return all
}

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

// draw returns an SVG in which the lines appear one after the other, at the bottom of a screen that scrolls.
func draw(lines []line) string {
	length := end
	for _, l := range lines {
		length += l.pause
	}
	var at time.Duration
	var scroll, text strings.Builder
	offset := func(shown int) int { return (rows - shown) * height }
	for i, l := range lines {
		at += l.pause
		if i+1 == len(lines) || lines[i+1].pause > 0 {
			fmt.Fprintf(&scroll, "%.2f%%{transform:translateY(%dpx)}\n", 100*at.Seconds()/length.Seconds(), offset(i+1))
		}
		for _, class := range classes {
			if class.lines.MatchString(l.text) {
				fmt.Fprintf(&text, "<text y=\"%d\" class=%q>%s</text>\n", i*height+15, class.name, html.EscapeString(l.text))
				break
			}
		}
	}
	return fmt.Sprintf(svg, offset(len(lines)), length.Seconds(), &scroll, &text)
}
