package ping

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

// statistics are what has become of the requests.
type statistics struct {
	sent, received, repeated, errors int64
	answered                         map[uint16]bool // by the number of the request
	// inFlight is the largest number of requests that were unanswered at a time.
	inFlight int64

	// Times are in microseconds, as iputils computes them.
	timed             bool
	shortest, longest int64
	sum               int64
	squares           float64
	began, last       time.Time // the first and the last request
}

// answer counts an answer, and reports whether the request was answered before.
func (s *statistics) answer(number uint16, took time.Duration) (again bool) {
	s.acknowledge(number)
	if s.timed {
		t := took.Microseconds()
		if s.received+s.repeated == 0 || t < s.shortest {
			s.shortest = t
		}
		s.longest = max(s.longest, t)
		s.sum += t
		s.squares += float64(t) * float64(t)
	}
	if s.answered[number] {
		s.repeated++
		return true
	}
	s.answered[number] = true
	s.received++
	return false
}

// acknowledge notes how many requests were sent since this one.
func (s *statistics) acknowledge(number uint16) {
	if since := uint16(s.sent) - number; since <= math.MaxInt16 {
		s.inFlight = max(s.inFlight, int64(since)+1)
	}
}

// write writes the lines at the end of the output.
func (s *statistics) write(out io.Writer, to string) {
	fmt.Fprintf(out, "\n--- %s ping statistics ---\n%d packets transmitted, %d received", to, s.sent, s.received)
	if s.repeated > 0 {
		fmt.Fprintf(out, ", +%d duplicates", s.repeated)
	}
	if s.errors > 0 {
		fmt.Fprintf(out, ", +%d errors", s.errors)
	}
	if s.sent > 0 {
		loss := float32(float64(s.sent-s.received) * 100 / float64(s.sent))
		fmt.Fprintf(out, ", %.6g%% packet loss, time %dms", loss, s.last.Sub(s.began).Round(time.Millisecond).Milliseconds())
	}
	fmt.Fprintf(out, "\n%s\n", s.times())
}

// times returns the last line.
func (s *statistics) times() string {
	var parts []string
	if s.received > 0 && s.timed {
		total := s.received + s.repeated
		average := s.sum / total
		variance := int64((s.squares - float64(s.sum*s.sum/total)) / float64(total))
		deviation := int64(math.Sqrt(float64(max(variance, 0))))
		parts = append(parts, fmt.Sprintf("rtt min/avg/max/mdev = %s/%s/%s/%s ms",
			milliseconds(s.shortest), milliseconds(average), milliseconds(s.longest), milliseconds(deviation)))
	}
	if s.inFlight > 1 {
		parts = append(parts, fmt.Sprintf("pipe %d", s.inFlight))
	}
	return strings.Join(parts, ", ")
}

func milliseconds(microseconds int64) string {
	return fmt.Sprintf("%d.%03d", microseconds/1000, microseconds%1000)
}

// rounded returns a time in milliseconds with three significant digits.
func rounded(took time.Duration) string {
	t := took.Microseconds()
	switch {
	case t >= 100_000-50:
		return fmt.Sprintf("%d", (t+500)/1000)
	case t >= 10_000-5:
		return fmt.Sprintf("%.1f", float64((t+50)/100)/10)
	case t >= 1000:
		return fmt.Sprintf("%.2f", float64((t+5)/10)/100)
	}
	return milliseconds(t)
}
