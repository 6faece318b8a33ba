// Package progress shows users what takes long and how far it is.
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

// plainInterval is the time between status lines on an output that can't rewrite lines.
const plainInterval = 15 * time.Second

// Reporter prints permanent lines, and a status line below them that the next status replaces. It
// is safe for concurrent use.
type Reporter struct {
	mu       sync.Mutex
	out      io.Writer
	terminal bool
	last     time.Time
	status   string // on the terminal now; empty if there is none
	partial  []byte // what has been written of a line that has not ended yet
}

// New returns a Reporter. If out is an interactive terminal, it rewrites the status line. Otherwise
// it prints a status every 15 seconds.
func New(out io.Writer) *Reporter {
	return &Reporter{out: out, terminal: isTerminal(out), last: time.Now()}
}

// isTerminal returns false for terminals that can't rewrite a line, and in CI systems, which keep
// everything that is printed.
func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb" && os.Getenv("CI") == ""
}

// Say prints a permanent line.
func (r *Reporter) Say(format string, args ...any) {
	fmt.Fprintf(r, format+"\n", args...)
}

// Write prints permanent lines, for instance of a program that runs at the same time. It prints a
// line when the line is complete.
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

// During shows an activity and its duration, updated every second, until the returned function is
// called. Without a terminal it shows nothing, because the output of the activity is enough.
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

// show writes a status to the terminal.
func (r *Reporter) show(status string) {
	r.status = status
	if file, ok := r.out.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil {
			status = fit(status, width)
		}
	}
	fmt.Fprint(r.out, status)
}

// fit shortens a status that is wider than the terminal. It would take two lines, and only one can
// be rewritten.
func fit(status string, width int) string {
	if runes := []rune(status); width > 0 && len(runes) >= width {
		return string(runes[:width-1])
	}
	return status
}

// clear removes the status from the terminal.
func (r *Reporter) clear() {
	if r.status != "" {
		fmt.Fprint(r.out, "\r\033[K")
		r.status = ""
	}
}
