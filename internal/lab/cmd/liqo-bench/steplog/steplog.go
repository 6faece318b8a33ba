// Package steplog reads the provider's log of its steps on each leaf, with their times.
package steplog

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
)

// done is the message of a log line about a successful step.
const done = "step done"

// Step is one step of the provider on one leaf.
type Step struct {
	Leaf string `json:"leaf"`
	Name string `json:"step"`
	// Start is the time since the begin of the first step. Start and Took are in nanoseconds, but
	// exact only to a millisecond.
	Start time.Duration `json:"startNanoseconds"`
	Took  time.Duration `json:"tookNanoseconds"`
	// Critical means that the whole would have ended earlier if this step had.
	Critical bool `json:"critical"`
}

// End returns the end of the step.
func (s Step) End() time.Duration { return s.Start + s.Took }

// line is the part of a log line that is read. The provider writes more fields.
type line struct {
	Message   string    `json:"@message"`
	Timestamp time.Time `json:"timestamp"` // the provider's; Terraform's own, @timestamp, is when it has read the line
	Step      string    `json:"step"`
	Leaf      string    `json:"leaf"`
	TookMS    int64     `json:"duration_ms"`
}

// Parse returns the steps in a JSON log of Terraform, in the order in which they began, with the
// critical ones marked. It ignores all other lines. A log without steps is an error.
func Parse(log io.Reader) ([]Step, error) {
	var steps []Step
	var zero time.Time
	reader := bufio.NewReader(log)
	for end := false; !end; {
		text, err := reader.ReadBytes('\n')
		if end = err == io.EOF; err != nil && !end {
			return nil, err
		}
		var l line
		if json.Unmarshal(text, &l) != nil || l.Message != done { // Terraform passes on lines that are no JSON, too
			continue
		}
		took := time.Duration(l.TookMS) * time.Millisecond
		began := l.Timestamp.Add(-took)
		if zero.IsZero() {
			zero = began
		}
		steps = append(steps, Step{Leaf: l.Leaf, Name: l.Step, Start: began.Sub(zero), Took: took})
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("the log has no line %q", done)
	}
	slices.SortStableFunc(steps, func(a, b Step) int { return int(a.Start - b.Start) })
	for first, i := steps[0].Start, 0; i < len(steps); i++ {
		steps[i].Start -= first
	}
	markCritical(steps)
	return steps, nil
}

// Span returns the time from the begin of the first step to the end of the last.
func Span(steps []Step) time.Duration {
	var span time.Duration
	for _, s := range steps {
		span = max(span, s.End())
	}
	return span
}

// precision is the maximum gap between the recorded end of one step and the recorded begin of the
// next, although nothing came between them. The log has whole milliseconds.
const precision = 2 * time.Millisecond

// markCritical goes back from the step that ended last. A step begins as soon as the last of its
// dependencies is done, so that is the step that ended last before it began. It skips steps that
// took no millisecond: nothing waited for them, and their order is unknown.
func markCritical(steps []Step) {
	next := 0
	for i := range steps {
		if steps[i].End() > steps[next].End() {
			next = i
		}
	}
	for next >= 0 {
		steps[next].Critical = true
		began, before := steps[next].Start, -1
		for i := range steps {
			candidate := steps[i].Start < began && steps[i].End() <= began+precision
			if candidate && (before < 0 || steps[i].End() > steps[before].End()) {
				before = i
			}
		}
		next = before
	}
}
