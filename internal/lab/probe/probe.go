// Package probe checks whether an address answers, and how fast, from the network in which it runs.
package probe

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Options say how often to ask.
type Options struct {
	Count int
	// Interval is the time from one request to the next. Timeout is the time that each request
	// waits for its answer.
	Interval, Timeout time.Duration
	// UntilAnswer reports whether the first answer is enough.
	UntilAnswer bool
	// Answered is called at the first answer. It may be nil.
	Answered func() `json:"-"`
}

// Result is the result of a probe. Latencies are in milliseconds, from request to answer.
type Result struct {
	To       string  `json:"to"`
	Sent     int     `json:"sent"`
	Received int     `json:"received"`
	Lost     int     `json:"lost"`
	Min      float64 `json:"min"`
	Average  float64 `json:"average"`
	Max      float64 `json:"max"`
	// Silence is the longest time without an answer since the first request, in milliseconds.
	Silence float64 `json:"silence"`
	// Errors are the errors of lost requests, each once. A request that got no message at all has
	// no error.
	Errors []string `json:"errors,omitempty"`
	// Answer is the last answer, if it has any content.
	Answer any `json:"answer,omitempty"`
}

// ask sends one request, and returns when the answer has arrived or ctx ends. Number counts from one.
type ask func(ctx context.Context, number int) error

// repeat asks as often as the options say, or until ctx ends. The last request still waits for its answer then, or it
// would count as lost.
func repeat(ctx context.Context, to string, options Options, ask ask) Result {
	result := Result{To: to}
	var latencies []time.Duration
	var silence time.Duration
	heard := time.Now()
	for number := 1; number <= options.Count; number++ {
		next := time.After(options.Interval)
		start := time.Now()
		once, cancel := context.WithTimeout(context.WithoutCancel(ctx), options.Timeout)
		err := ask(once, number)
		silent := once.Err() != nil
		cancel()
		result.Sent++
		silence = max(silence, time.Since(heard))
		switch {
		case err == nil:
			heard = time.Now()
			if latencies = append(latencies, heard.Sub(start)); len(latencies) == 1 && options.Answered != nil {
				options.Answered()
			}
		case !silent && !slices.Contains(result.Errors, err.Error()):
			result.Errors = append(result.Errors, err.Error())
		}
		if number == options.Count || options.UntilAnswer && err == nil {
			break
		}
		select {
		case <-next:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
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

// Request says what to probe. One program asks another for it, in JSON.
type Request struct {
	// Kind is ping, http, udp or flow.
	Kind string
	// Target is a URL for http, and otherwise an IPv4 address.
	Target string
	// Options are those of all kinds but flow.
	Options Options
	// Size and Whole are those of a ping; see [Ping].
	Size  int
	Whole bool
	// Flow are the options of a flow.
	Flow FlowOptions
	// Announce says on stderr when the first answer has come.
	Announce bool
	// StopOnStdinEOF ends the probe at the end of stdin, too.
	StopOnStdinEOF bool
}

// HTTP requests a URL with GET, on a new connection each time. An answer of any status counts.
func HTTP(ctx context.Context, url string, options Options) Result {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, Proxy: nil}}
	var answer any
	result := repeat(ctx, url, options, func(ctx context.Context, _ int) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		answer = read(body)
		return nil
	})
	result.Answer = answer
	return result
}

// read returns a body as JSON if it is JSON, and otherwise as text.
func read(body []byte) any {
	var value any
	if json.Unmarshal(body, &value) == nil {
		return value
	}
	return strings.TrimSpace(string(body))
}

// UDP sends a datagram to the port on which a pod answers, from another port each time. So each is the first packet of
// a flow.
func UDP(ctx context.Context, address netip.Addr, options Options) Result {
	return askUDP(ctx, netip.AddrPortFrom(address, echoPort), options)
}

func askUDP(ctx context.Context, to netip.AddrPort, options Options) Result {
	var dialer net.Dialer
	answer := make([]byte, largestPacket)
	return repeat(ctx, to.Addr().String(), options, func(ctx context.Context, number int) error {
		conn, err := dialer.DialContext(ctx, "udp4", to.String())
		if err != nil {
			return err
		}
		defer conn.Close()
		deadline, _ := ctx.Deadline()
		if err := conn.SetDeadline(deadline); err != nil {
			return err
		}
		if _, err := conn.Write([]byte(strconv.Itoa(number))); err != nil {
			return err
		}
		_, err = conn.Read(answer)
		return err
	})
}
