// Package figures holds the results of a benchmark, and writes them for users.
package figures

import (
	"slices"
	"strings"
	"time"
)

// Sample is the measurements of several rounds.
type Sample struct {
	Median, Min, Max float64
	// Values are in the order of their measurement.
	Values []float64
}

// NewSample returns the sample of at least one value.
func NewSample(values ...float64) Sample {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	median := sorted[middle]
	if len(sorted)%2 == 0 {
		median = (sorted[middle-1] + sorted[middle]) / 2
	}
	return Sample{Median: median, Min: sorted[0], Max: sorted[len(sorted)-1], Values: values}
}

// Seconds returns a sample of durations, in seconds.
func Seconds(times ...time.Duration) Sample {
	values := make([]float64, len(times))
	for i, t := range times {
		values[i] = t.Seconds()
	}
	return NewSample(values...)
}

// same reports whether all values are the same.
func (s Sample) same() bool { return s.Min == s.Max }

// list returns the values for a sentence.
func (s Sample) list() string {
	texts := make([]string, len(s.Values))
	for i, value := range s.Values {
		texts[i] = number(value)
	}
	return strings.Join(texts, ", ")
}
