package connectivity

import (
	"bufio"
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
	young          int     // of the packets before those that are counted, how many were answered; only if silent
	pings          int     // to a pod, all that may have arrived
	Latency        Latency // zero if nothing was answered
	Largest        int     // bytes of the largest packet that passes undivided; zero if it was not measured

	hops     map[int]bool // the routers that answered, by the number of hops to them; the first ones for one pod only
	unrouted []string     // addresses of routers that had no way to go on
}

// Latency are round-trip times of packets.
type Latency struct{ Min, Mean, Max time.Duration }

// heard is what a listener says.
type heard struct {
	told     bool
	requests int // pings that have arrived
	curl     int // with which error curl has read the gateway's metrics; zero if with none
	// sent and received are the bytes that the leaf's gateway has sent into the tunnel and received from it meanwhile.
	// They are -1 if the gateway does not say.
	sent, received int
}

// parseReport parses the termination message of a prober.
func parseReport(message string) (report, error) {
	r := report{answers: map[string]*answer{}}
	complete := false
	for line := range lines(message) {
		fields := strings.Fields(line)
		if fields[0] == "error" {
			return r, fmt.Errorf("%s", strings.TrimSpace(strings.TrimPrefix(message, "error")))
		}
		if fields[0] == "end" {
			complete = true
			continue
		}
		if err := r.add(fields[0], fields[1:]); err != nil {
			return r, fmt.Errorf("it reports %q: %w", line, err)
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
	case what == "silent" && len(values) == 2:
		target.silent = true
		err = errors.Join(number(&target.young, values[0]), number(&target.pings, values[1]))
	case what == "largest" && len(values) == 2:
		err = errors.Join(number(&target.Largest, values[0]), number(&target.pings, values[1]))
	case what == "hops":
		for _, hop := range values {
			err = target.hop(hop)
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
		r.answers[address] = &answer{hops: map[int]bool{}}
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

// early is how many packets were answered by a pod that then fell silent.
func (a *answer) early() int {
	if !a.silent {
		return 0
	}
	return a.young + a.Answered
}

// hop adds that a router has answered: TTL=ADDRESS, or TTL!ADDRESS if it does not know how to go on.
func (a *answer) hop(text string) error {
	at := strings.IndexAny(text, "=!")
	if at < 0 {
		return fmt.Errorf("%q is no hop", text)
	}
	var ttl int
	if err := number(&ttl, text[:at]); err != nil {
		return err
	}
	router := text[at+1:]
	switch {
	case text[at] == '=' && a.hops != nil:
		a.hops[ttl] = true
	case !slices.Contains(a.unrouted, router):
		a.unrouted = append(a.unrouted, router)
	}
	return nil
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

// parseHeard parses the termination message of a listener. Its last two lines are the kernel's counters of ICMP, their
// names first.
func parseHeard(message string) heard {
	var h heard
	bytes := map[string]float64{}
	var names []string
	for line := range lines(message) {
		fields := strings.Fields(line)
		switch {
		case fields[0] == "Icmp:" && names == nil:
			names = fields
		case fields[0] == "Icmp:":
			if at := slices.Index(names, "InEchos"); at >= 0 && at < len(fields) {
				h.told = number(&h.requests, fields[at]) == nil
			}
		case len(fields) == 2 && strings.HasPrefix(fields[0], "curl-"):
			if status, err := strconv.Atoi(fields[1]); err == nil && status != 0 {
				h.curl = status
			}
		case len(fields) == 2:
			if value, err := strconv.ParseFloat(fields[1], 64); err == nil {
				bytes[fields[0]] = value
			}
		}
	}
	h.sent, h.received = growth(bytes, "sent"), growth(bytes, "received")
	return h
}

// growth returns by how much a counter has grown, or -1 if nobody knows.
func growth(bytes map[string]float64, counter string) int {
	before, counted := bytes[counter+"-before"]
	after, still := bytes[counter+"-after"]
	if !counted || !still || after < before { // the gateway has restarted
		return -1
	}
	return int(after - before)
}

// lines are the lines of a text that have words.
func lines(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		scanner := bufio.NewScanner(strings.NewReader(text))
		for scanner.Scan() {
			if line := strings.TrimSpace(scanner.Text()); line != "" && !yield(line) {
				return
			}
		}
	}
}
