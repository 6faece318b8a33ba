package inspect

import (
	"strconv"
	"strings"
)

// Line returns a text that others have written, such as the message of an object in a cluster, as one line. Characters
// that are not printed are visible escapes, so that the text can neither change what is printed around it nor look like
// it.
func Line(text string) string { return escaped(text, "") }

// Lines is Line for a text of several lines.
func Lines(text string) string { return escaped(text, "\n\t") }

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
