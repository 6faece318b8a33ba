package ping

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

// fragmentationNeeded is the code of a message about a packet that was too large.
const fragmentationNeeded = 4

// unreachable are the texts for a destination that can't be reached, by the code.
var unreachable = []string{
	"Destination Net Unreachable", "Destination Host Unreachable", "Destination Protocol Unreachable",
	"Destination Port Unreachable", "Frag needed and DF set", "Source Route Failed", "Destination Net Unknown",
	"Destination Host Unknown", "Source Host Isolated", "Destination Net Prohibited", "Destination Host Prohibited",
	"Destination Net Unreachable for Type of Service", "Destination Host Unreachable for Type of Service",
	"Packet filtered", "Precedence Violation", "Precedence Cutoff",
}

// exceeded are the texts for a packet that was on its way for too long, by the code.
var exceeded = []string{"Time to live exceeded", "Frag reassembly time exceeded"}

// text returns what a router says about a request.
func (f failure) text() string {
	switch {
	case f.kind == ipv4.ICMPTypeDestinationUnreachable && f.code == fragmentationNeeded:
		return fmt.Sprintf("%s (mtu = %d)", unreachable[f.code], f.mtu)
	case f.kind == ipv4.ICMPTypeDestinationUnreachable && f.code < len(unreachable):
		return unreachable[f.code]
	case f.kind == ipv4.ICMPTypeDestinationUnreachable:
		return fmt.Sprintf("Dest Unreachable, Bad Code: %d", f.code)
	case f.kind == ipv4.ICMPTypeTimeExceeded && f.code < len(exceeded):
		return exceeded[f.code]
	case f.kind == ipv4.ICMPTypeTimeExceeded:
		return fmt.Sprintf("Time exceeded, Bad Code: %d", f.code)
	}
	return fmt.Sprintf("Bad ICMP type: %d", f.kind)
}

// localText returns why a request could not leave this network.
func (f failure) localText() string {
	if f.errno == unix.EMSGSIZE {
		return fmt.Sprintf("local error: message too long, mtu=%d", f.mtu)
	}
	return "local error: " + errnoText(f.errno)
}

// errorText returns an error as C programs write it.
func errorText(err error) string {
	var call *os.SyscallError
	var errno unix.Errno
	if errors.As(err, &call) && errors.As(call.Err, &errno) {
		return call.Syscall + ": " + errnoText(errno)
	}
	return err.Error()
}

// errnoText returns the text of the C library, which begins with a capital letter.
func errnoText(errno unix.Errno) string {
	text := errno.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}
