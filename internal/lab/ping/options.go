// Package ping is a ping with the options and the output of the one from iputils, as far as pods use them. Pods of the
// lab have it on machines without a ping. It needs no rights: the kernel lets the groups in
// net.ipv4.ping_group_range send requests.
package ping

import (
	"fmt"
	"io"
	"math"
	"net/netip"
	"strconv"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"
)

// The exit statuses of ping.
const (
	statusAnswered = iota
	statusSilent
	statusFailed
)

// Sizes in bytes. A packet begins with a header of IP and one of ICMP. Data that is long enough begins with the time.
const (
	headerIP, headerICMP, timestampSize = 20, 8, 16
	defaultSize, largestSize            = 56, math.MaxUint16 - headerIP - headerICMP
)

// The defaults and limits of iputils.
const (
	defaultInterval, defaultLinger, shortestInterval = time.Second, 10 * time.Second, 2 * time.Millisecond
	largestTTL                                       = 255
)

// discovery are the values of -M.
var discovery = map[string]int{
	"do": unix.IP_PMTUDISC_DO, "dont": unix.IP_PMTUDISC_DONT, "want": unix.IP_PMTUDISC_WANT,
}

// options are what the command line requests.
type options struct {
	to               netip.Addr
	quiet            bool
	count            int64 // zero stands for no end
	interval, linger time.Duration
	size, ttl        int // a TTL of zero is the kernel's default
	discovery        int // or -1
}

// usageError is an error in the command line, with the exit status that it leads to.
type usageError struct {
	status int
	text   string
}

func (e usageError) Error() string { return e.text }

// parse reads the command line without the program's name.
func parse(args []string) (options, error) {
	o := options{discovery: -1}
	flags := pflag.NewFlagSet("ping", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolP("numeric", "n", true, "")
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "")
	count := flags.StringP("count", "c", "", "")
	interval, linger := flags.StringP("interval", "i", "", ""), flags.StringP("timeout", "W", "", "")
	size, ttl := flags.StringP("size", "s", "", ""), flags.StringP("ttl", "t", "", "")
	pmtu := flags.StringP("pmtudisc", "M", "", "")
	if err := flags.Parse(args); err != nil {
		return o, usageError{statusFailed, err.Error()}
	}
	var err error
	if o.count, err = number(*count, 0, 1, math.MaxInt64); err != nil {
		return o, err
	}
	bytes, err := number(*size, defaultSize, 0, math.MaxInt32)
	if err != nil {
		return o, err
	}
	hops, err := number(*ttl, 0, 0, largestTTL)
	if err != nil {
		return o, err
	}
	o.size, o.ttl = int(bytes), int(hops)
	if *ttl != "" && o.ttl == 0 {
		return o, usageError{statusFailed, "cannot set unicast time-to-live: Invalid argument"}
	}
	if o.size > largestSize {
		return o, usageError{statusFailed, fmt.Sprintf("packet size %d is too large. Maximum is %d", o.size, largestSize)}
	}
	if o.interval, err = seconds(*interval, defaultInterval); err != nil {
		return o, usageError{statusFailed, "bad timing interval: " + *interval}
	}
	if o.linger, err = seconds(*linger, defaultLinger); err != nil {
		return o, usageError{statusFailed, "bad linger time: " + *linger}
	}
	if *pmtu != "" {
		var known bool
		if o.discovery, known = discovery[*pmtu]; !known {
			return o, usageError{statusFailed, "invalid -M argument: " + *pmtu}
		}
	}
	o.to, err = destination(flags.Args())
	return o, err
}

// destination returns the address in the arguments that are no options.
func destination(args []string) (netip.Addr, error) {
	if len(args) != 1 {
		return netip.Addr{}, usageError{statusSilent, "usage error: Destination address required"}
	}
	to, err := netip.ParseAddr(args[0])
	if err != nil || !to.Is4() {
		return to, usageError{statusFailed, args[0] + ": Name or service not known"}
	}
	return to, nil
}

// number reads an integer from smallest to largest. An empty text stands for the default.
func number(text string, standard, smallest, largest int64) (int64, error) {
	if text == "" {
		return standard, nil
	}
	value, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return 0, usageError{statusSilent, fmt.Sprintf("invalid argument: '%s'", text)}
	case value < smallest || value > largest:
		return 0, usageError{statusSilent, fmt.Sprintf(
			"invalid argument: '%s': out of range: %d <= value <= %d", text, smallest, largest)}
	}
	return value, nil
}

// seconds reads a time in seconds, which may have a fraction. Like iputils, it drops what is less than a millisecond.
// An empty text stands for the default.
func seconds(text string, standard time.Duration) (time.Duration, error) {
	if text == "" {
		return standard, nil
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || value < 0 || value > math.MaxInt32/1000 {
		return 0, fmt.Errorf("%q is no time in seconds", text)
	}
	return time.Duration(value*1000) * time.Millisecond, nil
}
