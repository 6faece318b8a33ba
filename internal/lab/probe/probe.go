// Package probe finds out whether an address answers, and how fast, from where it runs.
package probe

import (
	"context"
	"slices"
	"time"
)

// Options says how often to ask.
type Options struct {
	Count int
	// Interval is the time from one question to the next, Timeout how long each waits for its answer.
	Interval, Timeout time.Duration
	// UntilAnswer reports whether the first answer is enough.
	UntilAnswer bool
}

// Result is what came of it. Latencies are in milliseconds, from question to answer.
type Result struct {
	To       string  `json:"to"`
	Sent     int     `json:"sent"`
	Received int     `json:"received"`
	Lost     int     `json:"lost"`
	Min      float64 `json:"min"`
	Average  float64 `json:"average"`
	Max      float64 `json:"max"`
	// Silence is the longest time without an answer, from the first question on, in milliseconds.
	Silence float64 `json:"silence"`
	// Errors are what was said of those that were lost, each once. A lost one of which nothing was heard is not among them.
	Errors []string `json:"errors,omitempty"`
	// Answer is the last answer, where it says anything.
	Answer any `json:"answer,omitempty"`
}

// ask asks once, and returns when the answer is there or ctx ends. Number counts from one.
type ask func(ctx context.Context, number int) error

// repeat asks as often as options say.
func repeat(ctx context.Context, to string, options Options, ask ask) Result {
	result := Result{To: to}
	var latencies []time.Duration
	var silence time.Duration
	heard := time.Now()
	for number := 1; number <= options.Count; number++ {
		next := time.After(options.Interval)
		start := time.Now()
		once, cancel := context.WithTimeout(ctx, options.Timeout)
		err := ask(once, number)
		silent := once.Err() != nil
		cancel()
		result.Sent++
		silence = max(silence, time.Since(heard))
		switch {
		case err == nil:
			heard = time.Now()
			latencies = append(latencies, heard.Sub(start))
		case !silent && !slices.Contains(result.Errors, err.Error()):
			result.Errors = append(result.Errors, err.Error())
		}
		if number == options.Count || ctx.Err() != nil || options.UntilAnswer && err == nil {
			break
		}
		select {
		case <-next:
		case <-ctx.Done():
		}
	}
	result.Received, result.Lost = len(latencies), result.Sent-len(latencies)
	result.Silence = milliseconds(silence)
	result.summarise(latencies)
	return result
}

func (r *Result) summarise(latencies []time.Duration) {
	if len(latencies) == 0 {
		return
	}
	var sum time.Duration
	for _, latency := range latencies {
		sum += latency
	}
	r.Min, r.Max = milliseconds(slices.Min(latencies)), milliseconds(slices.Max(latencies))
	r.Average = milliseconds(sum / time.Duration(len(latencies)))
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
