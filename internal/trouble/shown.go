package trouble

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// LongestShown is how many bytes of one text of a leaf are shown.
const LongestShown = 1 << 10

// A CI system takes some of the lines that a program prints for commands. Terraform may break a line anywhere.
var workflowCommand = regexp.MustCompile(`::([A-Za-z-]+(?: [^:\n]*)?::)|##(\[)`)

// Shown returns a text that somebody on a leaf may have written, such as the message of an Event, as one line for a
// terminal or a log. It has no more than about a KiB. Characters that are not printed are visible escapes, so that the
// text can neither change what is printed around it nor look like it.
func Shown(text string) string { return shownUpTo(text, LongestShown) }

// MostLines is how many lines of one text of a leaf are shown.
const MostLines = 5

// ShownLines is Shown for a text that may have several lines, such as the output of a program. Of several lines, the
// first ones begin below, each with a mark, so that none can look like a line of this provider.
func ShownLines(text string) string {
	var lines []string
	for line := range strings.Lines(strings.ReplaceAll(text, "\t", "  ")) {
		if line = strings.TrimRight(line, " \r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) <= 1 {
		return Shown(strings.TrimSpace(strings.Join(lines, "")))
	}
	var shown strings.Builder
	for i, left := 0, LongestShown; i < len(lines); i++ {
		if i == MostLines || left <= 0 {
			fmt.Fprintf(&shown, "\n  (and %d more lines)", len(lines)-i)
			break
		}
		shown.WriteString("\n  | " + shownUpTo(lines[i], left))
		left -= len(lines[i])
	}
	return shown.String()
}

// shownUpTo is Shown with another limit, in bytes.
func shownUpTo(text string, limit int) string {
	if len(text) > limit {
		end := limit
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = fmt.Sprintf("%s… (and %d more bytes)", text[:end], len(text)-end)
	}
	return workflowCommand.ReplaceAllStringFunc(escaped(text, ""), func(command string) string {
		return command[:1] + fmt.Sprintf(`\x%x`, command[1]) + command[2:]
	})
}

// ShownParagraphs is Shown for a text of this provider that may contain other texts. It keeps line breaks, and has no
// limit.
func ShownParagraphs(text string) string { return escaped(text, "\n\t") }

// escaped escapes what is not printed, except for the kept characters.
func escaped(text, kept string) string {
	var shown strings.Builder
	for _, char := range text {
		if strconv.IsPrint(char) || strings.ContainsRune(kept, char) {
			shown.WriteRune(char)
		} else {
			shown.WriteString(strings.Trim(strconv.QuoteRuneToASCII(char), "'"))
		}
	}
	return shown.String()
}
