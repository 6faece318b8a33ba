// Package figures holds what a benchmark has found, and writes it for people and for programs.
package figures

import (
	"slices"
	"time"
)

// Sample is what several rounds have measured.
type Sample struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	// Values are in the order in which they were measured.
	Values []float64 `json:"values"`
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

// Seconds returns the sample of times, in seconds.
func Seconds(times ...time.Duration) Sample {
	values := make([]float64, len(times))
	for i, t := range times {
		values[i] = t.Seconds()
	}
	return NewSample(values...)
}

// same reports whether every value is.
func (s Sample) same() bool { return s.Min == s.Max }
