// Package progress tells people what takes long and how far it is.
package progress

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// plainInterval is how often a status is printed where lines can't be rewritten.
const plainInterval = 15 * time.Second

// Reporter prints lines that stay and a status below them that the next one replaces. It is safe for concurrent use.
type Reporter struct {
	mu       sync.Mutex
	out      io.Writer
	terminal bool
	last     time.Time
	status   string // on the terminal now; empty if there is none
	partial  []byte // what has been written of a line that has not ended yet
}

// New returns a Reporter that rewrites the status line if out is a terminal that a person looks at, and prints one every 15 seconds if not.
func New(out io.Writer) *Reporter {
	return &Reporter{out: out, terminal: isTerminal(out), last: time.Now()}
}

// isTerminal is also false for terminals that can't rewrite a line, and for those of CI systems, which keep all that is printed.
func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb" && os.Getenv("CI") == ""
}

// Say prints a line that stays.
func (r *Reporter) Say(format string, args ...any) {
	fmt.Fprintf(r, format+"\n", args...)
}

// Write prints lines that stay, for instance of a program that runs meanwhile. A line is printed once it has ended.
func (r *Reporter) Write(text []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.partial = append(r.partial, text...)
	end := bytes.LastIndexByte(r.partial, '\n') + 1
	if end == 0 {
		return len(text), nil
	}
	status := r.status
	r.clear()
	_, err := r.out.Write(r.partial[:end])
	r.partial = r.partial[end:]
	r.show(status)
	return len(text), err
}

// Status shows how far something is.
func (r *Reporter) Status(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.terminal:
		r.clear()
		r.show(fmt.Sprintf(format, args...))
	case time.Since(r.last) >= plainInterval:
		r.last = time.Now()
		fmt.Fprintf(r.out, format+"\n", args...)
	}
}

// During shows what is being done and for how long, second by second, until the function that it returns is called. Without a terminal it shows nothing:
// what is done says enough by itself.
func (r *Reporter) During(what string) (done func()) {
	if !r.terminal {
		return func() {}
	}
	start, stop, stopped := time.Now(), make(chan struct{}), make(chan struct{})
	r.Status("0s  %s", what)
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				r.Status("%s  %s", time.Since(start).Round(time.Second), what)
			case <-stop:
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
		r.mu.Lock()
		defer r.mu.Unlock()
		r.clear()
	}
}

// show puts a status on the terminal.
func (r *Reporter) show(status string) {
	fmt.Fprint(r.out, fit(status, width(r.out)))
	r.status = status
}

// fit cuts a status that is wider than the terminal: it would take two lines, of which only one can be rewritten.
func fit(status string, width int) string {
	if runes := []rune(status); width > 0 && len(runes) >= width {
		return string(runes[:width-1])
	}
	return status
}

// width of a terminal in characters, zero if it is not known.
func width(out io.Writer) int {
	file, ok := out.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// clear removes the status from the terminal.
func (r *Reporter) clear() {
	if r.status != "" {
		fmt.Fprint(r.out, "\r\033[K")
		r.status = ""
	}
}
