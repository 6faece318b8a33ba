package tools

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mdlayher/socket"
	"golang.org/x/net/icmp"
	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

// packet returns a request or an answer.
func packet(t *testing.T, kind ipv4.ICMPType, number int) []byte {
	t.Helper()
	packet, err := (&icmp.Message{Type: kind, Body: &icmp.Echo{Seq: number}}).Marshal(nil)
	if err != nil {
		t.Fatal(err)
	}
	return packet
}

// newPinger returns a pinger of three requests, whose other end answers some of them, each twice.
func newPinger(t *testing.T, out io.Writer, answers ...int) *pinger {
	t.Helper()
	answered := map[int][]byte{}
	for _, number := range answers {
		answered[number] = packet(t, ipv4.ICMPTypeEchoReply, number)
	}
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	var conns [2]*socket.Conn
	for i, end := range ends {
		if conns[i], err = socket.New(end, "end"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conns[i].Close() })
	}
	go func() {
		request := make([]byte, 1<<10)
		for number := 1; ; number++ {
			if _, err := conns[1].Read(request); err != nil {
				return
			}
			if answer, ok := answered[number]; ok {
				_, _ = conns[1].Write(answer)
				_, _ = conns[1].Write(answer)
			}
		}
	}()
	return &pinger{out: out, to: netip.MustParseAddr("192.0.2.1"), conn: conns[0], count: 3, pending: map[int]time.Time{}}
}

func TestAPingEndsWithTheLastAnswerAndTellsHowFastTheyWere(t *testing.T) {
	var out bytes.Buffer
	p := newPinger(t, &out, 1, 2, 3)
	began := time.Now()
	if err := p.run(10*time.Millisecond, time.Hour); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 20*time.Millisecond {
		t.Errorf("three requests, 10 ms apart, took %s", took)
	}
	want := regexp.MustCompile(`^(8 bytes from 192\.0\.2\.1: icmp_seq=[123] time=\d+\.\d{3} ms\n){3}` +
		`3 packets transmitted, 3 received\nrtt min/avg/max = (\d+\.\d{3}[/ ]){3}ms\n$`)
	if p.summarise(); !want.Match(out.Bytes()) {
		t.Errorf("got %q", &out)
	}
}

func TestAPingLingersForAnAnswerThatDoesNotCome(t *testing.T) {
	var out bytes.Buffer
	p := newPinger(t, &out, 1, 3)
	began := time.Now()
	if err := p.run(time.Millisecond, 50*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 50*time.Millisecond {
		t.Errorf("it ended after %s", took)
	}
	if p.summarise(); !strings.Contains(out.String(), "\n3 packets transmitted, 2 received\n") {
		t.Errorf("got %q", &out)
	}
}

func TestAPingThatNobodyAnswersHasNoLatencies(t *testing.T) {
	var out bytes.Buffer
	p := newPinger(t, &out)
	if err := p.run(0, 0); err != nil {
		t.Fatal(err)
	}
	if p.summarise(); out.String() != "3 packets transmitted, 0 received\n" {
		t.Errorf("got %q", &out)
	}
}

func TestLatenciesAreMilliseconds(t *testing.T) {
	var out bytes.Buffer
	p := pinger{out: &out, sent: 2, latencies: []time.Duration{1500 * time.Microsecond, 38 * time.Microsecond}}
	if p.summarise(); !strings.HasSuffix(out.String(), "rtt min/avg/max = 0.038/0.769/1.500 ms\n") {
		t.Errorf("got %q", &out)
	}
}

// saying returns what the kernel says about a request that the router 172.18.0.2 has refused.
func saying(t *testing.T, kind ipv4.ICMPType) []byte {
	t.Helper()
	said := struct {
		Length       uint64
		Level, Type  int32
		Error        unix.SockExtendedErr
		Family, Port uint16
		Router       [4]byte
		Rest         [8]byte
	}{
		Length: 48, Level: unix.IPPROTO_IP, Type: unix.IP_RECVERR, Family: unix.AF_INET, Router: [4]byte{172, 18, 0, 2},
		Error: unix.SockExtendedErr{Errno: uint32(unix.EHOSTUNREACH), Origin: unix.SO_EE_ORIGIN_ICMP, Type: uint8(kind)},
	}
	message, err := binary.Append(nil, binary.NativeEndian, said)
	if err != nil {
		t.Fatal(err)
	}
	return message
}

func TestAPingShowsWhichRouterSaysWhatUnlessItIsQuiet(t *testing.T) {
	for kind, want := range map[ipv4.ICMPType]string{
		ipv4.ICMPTypeTimeExceeded:           "From 172.18.0.2 icmp_seq=2 time exceeded\n",
		ipv4.ICMPTypeDestinationUnreachable: "From 172.18.0.2 icmp_seq=2 destination unreachable\n",
	} {
		for _, quiet := range []bool{false, true} {
			var out bytes.Buffer
			p := pinger{out: &out, quiet: quiet, pending: map[int]time.Time{2: time.Now()}}
			err := p.refused(packet(t, ipv4.ICMPTypeEcho, 2), saying(t, kind))
			if got := out.String(); err != nil || quiet && got != "" || !quiet && got != want || len(p.pending) > 0 {
				t.Errorf("quiet=%t: got %q, %v; %v is pending", quiet, got, err, p.pending)
			}
		}
	}
}

func TestAPingThatCannotBeginSaysWhy(t *testing.T) {
	for text, args := range map[string][]string{
		"flag provided but not defined: -f":            {"-f", "10.71.1.10"},
		`"milan" is no IPv4 address`:                   {"-n", "milan"},
		`"::1" is no IPv4 address`:                     {"-c", "3", "::1"},
		"-M maybe is not known":                        {"-M", "maybe", "10.71.1.10"},
		"exactly one target is needed":                 {"-n"},
		`invalid value "x" for flag -i: time: invalid`: {"-i", "x", "10.71.1.10"},
	} {
		if err := ping(args, io.Discard); err == nil || !strings.HasPrefix(err.Error(), text) {
			t.Errorf("%q: got %v", slices.Concat([]string{"ping"}, args), err)
		}
	}
}
