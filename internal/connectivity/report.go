package connectivity

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// report is what a prober says.
type report struct {
	answers map[string]*answer // by the address
	node    *answer            // of the pod's own node; nil if the prober has not asked
	overlay *answer            // of the gateway in the leaf's overlay; nil if the prober has not asked
	mtu     int                // of the pod's device; zero if the pod does not say
}

// answer is what came back from one address.
type answer struct {
	Sent, Answered int
	last           int     // the number of the last one that was answered, from 1 on; zero if none was
	silent         bool    // whether nothing was answered any more at the end, by a pod
	pings          int     // to a pod, all that may have arrived
	Latency        Latency // zero if nothing was answered
	Largest        int     // bytes of the largest packet that passes undivided; zero if it was not measured
	said           []said  // by routers about pings to a pod; by the first ones about those to one pod only
}

// said is what a router says about a ping.
type said struct {
	hops   int    // that the ping may take
	router string // its address
	stuck  bool   // whether it has no way to go on; otherwise, the ping has taken all its hops
}

// Latency are round-trip times of packets.
type Latency struct{ Min, Mean, Max time.Duration }

// heard is what a listener says.
type heard struct {
	told     bool
	requests int // pings that have arrived
}

// parseReport parses the termination message of a prober.
func parseReport(message string) (report, error) {
	r := report{answers: map[string]*answer{}}
	complete := false
	for line := range strings.Lines(message) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case fields[0] == "error":
			return r, fmt.Errorf("%s", strings.TrimSpace(strings.TrimPrefix(message, "error")))
		case fields[0] == "end":
			complete = true
		default:
			if err := r.add(fields[0], fields[1:]); err != nil {
				return r, fmt.Errorf("it reports %q: %w", strings.TrimSpace(line), err)
			}
		}
	}
	if !complete {
		return r, fmt.Errorf("its report is not complete: %q", message)
	}
	return r, nil
}

// add adds a line of a report.
func (r *report) add(what string, values []string) error {
	if len(values) == 0 {
		return fmt.Errorf("a value is missing")
	}
	if what == "mtu" {
		return number(&r.mtu, values[0])
	}
	target := r.target(what, values[0])
	var err error
	switch values = values[1:]; {
	case (what == "pod" || what == "node" || what == "overlay") && len(values) == 4:
		err = target.ping(values[0], values[1], values[2], values[3])
	case what == "silent" && len(values) == 1:
		target.silent = true
		err = number(&target.pings, values[0])
	case what == "largest" && len(values) == 2:
		err = errors.Join(number(&target.Largest, values[0]), number(&target.pings, values[1]))
	case what == "hops":
		for _, hop := range values {
			err = errors.Join(err, target.hop(hop))
		}
	default:
		err = fmt.Errorf("nobody knows what this means")
	}
	return err
}

// target returns the answer of an address. What is neither a pod nor the node is the overlay.
func (r *report) target(what, address string) *answer {
	known := r.answers[address]
	switch {
	case known != nil:
		return known
	case what == "pod":
		r.answers[address] = &answer{}
		return r.answers[address]
	case what == "node":
		r.node = &answer{}
		return r.node
	case r.overlay == nil:
		r.overlay = &answer{}
	}
	return r.overlay
}

// ping adds the summary of ping. The latencies are milliseconds, min/mean/max/deviation, or a dash.
func (a *answer) ping(sent, answered, last, latencies string) error {
	err := errors.Join(number(&a.Sent, sent), number(&a.Answered, answered), number(&a.last, last))
	if err != nil || latencies == "-" {
		return err
	}
	times := make([]time.Duration, 0, 4)
	for text := range strings.SplitSeq(latencies, "/") {
		milliseconds, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return err
		}
		times = append(times, time.Duration(milliseconds*float64(time.Millisecond)))
	}
	if len(times) < 3 {
		return fmt.Errorf("latencies are missing")
	}
	a.Latency = Latency{Min: times[0], Mean: times[1], Max: times[2]}
	return nil
}

// passes reports whether packets to a pod pass at the end. The first packets of a pod or of a flow may take another way
// than all later ones, so they do not count.
func (a *answer) passes() bool { return a.Sent > 0 && !a.silent }

// lasts reports whether a router has answered for longer than at first.
func (a *answer) lasts() bool { return 2*a.last > a.Sent }

// hop adds that a router has answered: TTL=ADDRESS, or TTL!ADDRESS if it does not know how to go on.
func (a *answer) hop(text string) error {
	at := strings.IndexAny(text, "=!")
	if at < 0 {
		return fmt.Errorf("%q is no hop", text)
	}
	one := said{router: text[at+1:], stuck: text[at] == '!'}
	err := number(&one.hops, text[:at])
	if !slices.Contains(a.said, one) {
		a.said = append(a.said, one)
	}
	return err
}

// number sets a number that is not negative.
func number(to *int, text string) error {
	value, err := strconv.Atoi(text)
	if err == nil && value < 0 {
		err = fmt.Errorf("%d is negative", value)
	}
	*to = value
	return err
}

// parseHeard parses the termination message of a listener: the kernel's counters of ICMP, their names first.
func parseHeard(message string) heard {
	var h heard
	var names []string
	for line := range strings.Lines(message) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case fields[0] == "Icmp:" && names == nil:
			names = fields
		case fields[0] == "Icmp:":
			if at := slices.Index(names, "InEchos"); at >= 0 && at < len(fields) {
				h.told = number(&h.requests, fields[at]) == nil
			}
		}
	}
	return h
}
