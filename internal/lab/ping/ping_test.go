package ping

import (
	"bytes"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

var milan = netip.MustParseAddr("10.71.1.10")

func TestOptionsAreThoseOfIputils(t *testing.T) {
	got, err := parse(strings.Fields("-n -q -c 5 -i 0.2 -W1.5 -s 1312 -M do -t 3 10.71.1.10"))
	want := options{
		to: milan, quiet: true, count: 5, interval: 200 * time.Millisecond, linger: 1500 * time.Millisecond,
		size: 1312, ttl: 3, discovery: unix.IP_PMTUDISC_DO,
	}
	if err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	got, err = parse([]string{"-nq", "10.71.1.10"})
	want = options{to: milan, quiet: true, interval: time.Second, linger: 10 * time.Second, size: 56, discovery: -1}
	if err != nil || got != want {
		t.Errorf("by default: got %+v, %v", got, err)
	}
}

func TestWrongOptionsEndWithTheTextAndTheStatusOfIputils(t *testing.T) {
	for text, test := range map[string]struct {
		args   []string
		status int
	}{
		"usage error: Destination address required":                              {[]string{"-n"}, 1},
		"invalid argument: 'x'":                                                  {[]string{"-c", "x", "10.71.1.10"}, 1},
		"invalid argument: '0': out of range: 1 <= value <= 9223372036854775807": {[]string{"-c0", "10.71.1.10"}, 1},
		"invalid argument: '-1': out of range: 0 <= value <= 2147483647":         {[]string{"-s", "-1", "10.71.1.10"}, 1},
		"invalid argument: '300': out of range: 0 <= value <= 255":               {[]string{"-t", "300", "10.71.1.10"}, 1},
		"cannot set unicast time-to-live: Invalid argument":                      {[]string{"-t", "0", "10.71.1.10"}, 2},
		"invalid -M argument: maybe":                                             {[]string{"-M", "maybe", "10.71.1.10"}, 2},
		"bad linger time: -1":                                                    {[]string{"-W", "-1", "10.71.1.10"}, 2},
		"milan: Name or service not known":                                       {[]string{"milan"}, 2},
		"packet size 65508 is too large. Maximum is 65507":                       {[]string{"-s65508", "10.71.1.10"}, 2},
	} {
		t.Run(text, func(t *testing.T) {
			var out, messages bytes.Buffer
			if status := Main(test.args, &out, &messages); status != test.status || messages.String() != "ping: "+text+"\n" ||
				out.Len() > 0 {
				t.Errorf("got %d, %q, %q", status, &messages, &out)
			}
		})
	}
}

func TestTheLastLinesSayWhatHasBecomeOfTheRequests(t *testing.T) {
	for name, test := range map[string]struct {
		answers []uint16
		sent    int64
		errors  int64
		took    time.Duration
		timed   bool
		want    string
	}{
		"all answered": {
			answers: []uint16{1, 2, 3}, sent: 3, took: 21_500 * time.Microsecond, timed: true,
			want: "3 packets transmitted, 3 received, 0% packet loss, time 402ms\n" +
				"rtt min/avg/max/mdev = 21.500/21.500/21.500/0.000 ms, pipe 3\n",
		},
		"one lost": {
			answers: []uint16{3, 3}, sent: 3, took: 321 * time.Microsecond, timed: true,
			want: "3 packets transmitted, 1 received, +1 duplicates, 66.6667% packet loss, time 402ms\n" +
				"rtt min/avg/max/mdev = 0.321/0.321/0.321/0.000 ms\n",
		},
		"without the time": {
			answers: []uint16{3}, sent: 3, want: "3 packets transmitted, 1 received, 66.6667% packet loss, time 402ms\n\n",
		},
		"all refused": {
			sent: 3, errors: 3, timed: true,
			want: "3 packets transmitted, 0 received, +3 errors, 100% packet loss, time 402ms\n\n",
		},
		"interrupted": {timed: true, want: "0 packets transmitted, 0 received\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Unix(0, 0)
			s := statistics{
				sent: test.sent, errors: test.errors, timed: test.timed, answered: map[uint16]bool{},
				began: began, last: began.Add(401_600 * time.Microsecond),
			}
			for _, number := range test.answers {
				s.answer(number, test.took)
			}
			var out bytes.Buffer
			s.write(&out, "10.71.1.10")
			if want := "\n--- 10.71.1.10 ping statistics ---\n" + test.want; out.String() != want {
				t.Errorf("got\n%s\nwant\n%s", &out, want)
			}
		})
	}
}

func TestTheDeviationIsThatOfTheTimes(t *testing.T) {
	s := statistics{sent: 2, timed: true, answered: map[uint16]bool{}}
	s.answer(2, 38*time.Microsecond)
	s.answer(1, 46*time.Microsecond)
	if got, want := s.times(), "rtt min/avg/max/mdev = 0.038/0.042/0.046/0.004 ms, pipe 2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestEachAnswerAndEachFailureIsALineUnlessPingIsQuiet(t *testing.T) {
	router := netip.MustParseAddr("172.18.0.2")
	for line, event := range map[string]func(*pinger){
		"64 bytes from 10.71.1.10: icmp_seq=1 ttl=62 time=0.426 ms\n": func(p *pinger) {
			p.show(answer{number: 1, size: 64, ttl: 62, from: milan, took: 426 * time.Microsecond})
		},
		"64 bytes from 10.71.1.10: icmp_seq=1 ttl=62 time=101 ms\n": func(p *pinger) {
			p.show(answer{number: 1, size: 64, ttl: 62, from: milan, took: 100_600 * time.Microsecond})
		},
		"64 bytes from 10.71.1.10: icmp_seq=1 ttl=62 time=12.3 ms\n": func(p *pinger) {
			p.show(answer{number: 1, size: 64, ttl: 62, from: milan, took: 12_340 * time.Microsecond})
		},
		"64 bytes from 10.71.1.10: icmp_seq=1 ttl=62 time=1.24 ms\n": func(p *pinger) {
			p.show(answer{number: 1, size: 64, ttl: 62, from: milan, took: 1_236 * time.Microsecond})
		},
		"From 172.18.0.2 icmp_seq=1 Time to live exceeded\n": func(p *pinger) {
			p.report(failure{number: 1, kind: ipv4.ICMPTypeTimeExceeded, from: router})
		},
		"From 172.18.0.2 icmp_seq=1 Frag needed and DF set (mtu = 1340)\n": func(p *pinger) {
			p.report(failure{number: 1, kind: ipv4.ICMPTypeDestinationUnreachable, code: 4, mtu: 1340, from: router})
		},
		"From 172.18.0.2 icmp_seq=1 Destination Net Unreachable\n": func(p *pinger) {
			p.report(failure{number: 1, kind: ipv4.ICMPTypeDestinationUnreachable, from: router})
		},
		"From 172.18.0.2 icmp_seq=1 Packet filtered\n": func(p *pinger) {
			p.report(failure{number: 1, kind: ipv4.ICMPTypeDestinationUnreachable, code: 13, from: router})
		},
		"ping: local error: message too long, mtu=1340\n": func(p *pinger) {
			p.report(failure{local: true, errno: unix.EMSGSIZE, mtu: 1340})
		},
		"ping: local error: No route to host\n": func(p *pinger) {
			p.report(failure{local: true, errno: unix.EHOSTUNREACH})
		},
	} {
		t.Run(line, func(t *testing.T) {
			for _, quiet := range []bool{false, true} {
				var out bytes.Buffer
				p := &pinger{
					options: options{quiet: quiet}, out: &out, messages: &out,
					statistics: statistics{sent: 1, timed: true, answered: map[uint16]bool{}},
				}
				event(p)
				if got := out.String(); quiet && got != "" || !quiet && got != line {
					t.Errorf("quiet=%t: got %q", quiet, got)
				}
			}
		})
	}
}

func TestAQuietPingCountsOnlyTheFailuresOfOtherNetworks(t *testing.T) {
	p := &pinger{options: options{quiet: true}, statistics: statistics{sent: 2}}
	p.report(failure{local: true, errno: unix.EMSGSIZE})
	p.report(failure{number: 2, kind: ipv4.ICMPTypeTimeExceeded})
	if p.errors != 1 {
		t.Errorf("got %d", p.errors)
	}
}

func TestAnErrorHasTheTextOfTheCLibrary(t *testing.T) {
	var usage usageError
	if err := findRoute([4]byte{255, 255, 255, 255}); err == nil || errors.As(err, &usage) ||
		errorText(err) != "Do you want to ping broadcast? Then -b. If not, check your local firewall rules" {
		t.Errorf("got %v", err)
	}
}
