package trouble

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Capital returns a text with a capital letter.
func Capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// Sentence returns a text with a capital letter and, unless it has several lines, with a full stop.
func Sentence(text string) string { return FullStop(Capital(text)) }

// FullStop returns a text with a full stop, unless it has several lines.
func FullStop(text string) string {
	if !strings.HasSuffix(text, ".") && !strings.Contains(text, "\n") {
		text += "."
	}
	return text
}

// Counted returns a number of things, such as "1 cluster".
func Counted(number int, thing string) string {
	if number == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", number, thing)
}

// Enumerate joins words with commas and "and".
func Enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Quoted lists names in quotation marks, or says that there are none.
func Quoted(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	return strings.Join(quoted, ", ")
}
