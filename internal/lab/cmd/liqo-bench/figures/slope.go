package figures

import (
	"slices"
	"time"
)

// Slope returns by how many round trips a duration grows with the delay, one way: the slope of the line
// with the least squared errors through the shortest durations, because whatever else the machine does only
// adds to them. took is keyed by the delay, of which there are at least two.
func Slope(took map[time.Duration][]time.Duration) float64 {
	var n, sumX, sumY, sumXX, sumXY float64
	for delay, all := range took {
		x, y := 2*delay.Seconds(), slices.Min(all).Seconds()
		n, sumX, sumY, sumXX, sumXY = n+1, sumX+x, sumY+y, sumXX+x*x, sumXY+x*y
	}
	return (n*sumXY - sumX*sumY) / (n*sumXX - sumX*sumX)
}
