package figures

import (
	"slices"
	"time"
)

// Slope returns by how many round trips a duration grows with the delay, one way: the slope of the line
// with the least squared errors through the shortest durations, because whatever else the machine does only
// adds to them. took is keyed by the delay, of which there are at least two.
func Slope(took map[time.Duration][]time.Duration) float64 {
	var durations line
	for delay, all := range took {
		durations.add(2*delay.Seconds(), slices.Min(all).Seconds())
	}
	return durations.slope()
}

// line is the line through points with the least squared errors. The zero value has no points.
type line struct{ n, sumX, sumY, sumXX, sumXY float64 }

func (l *line) add(x, y float64) {
	l.n, l.sumX, l.sumY, l.sumXX, l.sumXY = l.n+1, l.sumX+x, l.sumY+y, l.sumXX+x*x, l.sumXY+x*y
}

// slope needs points with at least two different values of x.
func (l *line) slope() float64 {
	return (l.n*l.sumXY - l.sumX*l.sumY) / (l.n*l.sumXX - l.sumX*l.sumX)
}
