package process

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// tailLines is the number of lines of a log that an error shows.
const tailLines = 15

// WithLog adds the last lines of a log file to an error. A missing or empty log adds nothing.
func WithLog(err error, file string) error {
	tail := Tail(file, tailLines)
	if tail == "" {
		return err
	}
	return fmt.Errorf("%w\nthe last lines of %s:\n%s", err, file, tail)
}

// Tail returns the last lines of a file, indented by two spaces. It returns an empty string if the
// file is empty or can't be read.
func Tail(file string, lines int) string {
	content, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return ""
	}
	all := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	if len(all) > lines {
		all = all[len(all)-lines:]
	}
	text := strings.Join(all, "\n  ")
	if text == "" {
		return ""
	}
	return "  " + text
}
