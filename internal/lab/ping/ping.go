package ping

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// Main runs ping with the arguments of a command line, without the program's name, and returns its exit status.
func Main(args []string, out, messages io.Writer) (status int) {
	o, err := parse(args)
	if err != nil {
		fmt.Fprintln(messages, "ping:", err)
		if usage, ok := errors.AsType[usageError](err); ok {
			return usage.status
		}
		return statusFailed
	}
	s, err := open(o)
	if err != nil {
		fmt.Fprintln(messages, "ping:", errorText(err))
		return statusFailed
	}
	defer s.close()
	p := &pinger{
		options: o, socket: s, out: out, messages: messages,
		statistics: statistics{answered: map[uint16]bool{}, timed: o.size >= timestampSize},
	}
	return p.run()
}

// pinger sends requests and reports what becomes of them.
type pinger struct {
	options
	*socket
	statistics

	out, messages io.Writer
	// end is when to give up on answers that have not come, once all requests are sent.
	end time.Time
}

func (p *pinger) run() (status int) {
	fmt.Fprintf(p.out, "PING %s (%s) %d(%d) bytes of data.\n", p.name(), p.name(), p.size, p.size+headerIP+headerICMP)
	if p.interval < shortestInterval {
		p.say("cannot flood; minimal interval allowed for user is %dms", shortestInterval.Milliseconds())
		return statusFailed
	}
	interrupted, interrupt, err := os.Pipe()
	if err != nil {
		p.say("%s", errorText(err))
		return statusFailed
	}
	defer interrupted.Close()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	go func() {
		<-signals
		_ = interrupt.Close() // wakes up the loop
	}()
	for !p.done() {
		wait := p.next()
		if p.done() { // the kernel has refused the last request
			break
		}
		if woken, err := p.wait(int(interrupted.Fd()), wait); err != nil || woken {
			break
		}
		p.drain()
	}
	p.write(p.out, p.name())
	if p.received == 0 {
		return statusSilent
	}
	return statusAnswered
}

func (p *pinger) name() string { return p.options.to.String() }

func (p *pinger) say(format string, args ...any) {
	fmt.Fprintf(p.messages, "ping: "+format+"\n", args...)
}

// done reports whether there is nothing more to wait for.
func (p *pinger) done() bool {
	if p.count == 0 {
		return false
	}
	return p.received+p.errors >= p.count || !p.end.IsZero() && !time.Now().Before(p.end)
}

// next sends a request if one is due, and returns when to look again.
func (p *pinger) next() time.Time {
	now := time.Now()
	if p.count > 0 && p.sent >= p.count {
		return p.end
	}
	if due := p.last.Add(p.interval); p.sent > 0 && now.Before(due) {
		return due
	}
	if p.sent == 0 {
		p.began = now
	}
	p.last = now
	number := uint16(p.sent + 1)
	delete(p.answered, number) // it was another request's, long ago
	p.request(number)
	p.sent++
	if p.sent == p.count {
		p.end = time.Now().Add(p.patience())
		return p.end
	}
	return p.last.Add(p.interval)
}

// patience is how long the last answer may take.
func (p *pinger) patience() time.Duration {
	if p.received == 0 {
		return p.linger
	}
	return max(2*time.Duration(p.longest)*time.Microsecond, p.interval)
}

// request sends a request. If the kernel refuses it, it counts as sent.
func (p *pinger) request(number uint16) {
	for {
		err := p.send(number, time.Now())
		if err == nil || errors.Is(err, unix.ENOBUFS) {
			return
		}
		// A socket first reports what has become of an earlier request. Then the next attempt sends this one.
		failed, pending := p.receiveFailure()
		if pending != nil {
			return
		}
		p.report(failed)
		if failed.local {
			return
		}
	}
}

// wait waits until the socket has something to read. Woken reports whether the user has interrupted it.
func (p *pinger) wait(interrupted int, until time.Time) (woken bool, err error) {
	left := unix.NsecToTimespec(max(time.Until(until), 0).Nanoseconds())
	descriptors := []unix.PollFd{
		{Fd: int32(p.descriptor), Events: unix.POLLIN}, {Fd: int32(interrupted), Events: unix.POLLIN},
	}
	if _, err := unix.Ppoll(descriptors, &left, nil); err != nil && !errors.Is(err, unix.EINTR) {
		return false, err
	}
	return descriptors[1].Revents != 0, nil
}

// drain reports everything that has arrived.
func (p *pinger) drain() {
	for {
		got, err := p.receive()
		if err == nil {
			p.show(got)
			continue
		}
		failed, pending := p.receiveFailure()
		if pending != nil {
			return
		}
		p.report(failed)
	}
}

// show reports an answer.
func (p *pinger) show(got answer) {
	again := p.answer(got.number, got.took)
	if p.quiet {
		return
	}
	line := fmt.Sprintf("%d bytes from %s: icmp_seq=%d ttl=%d", got.size, got.from, got.number, got.ttl)
	if p.timed {
		line += fmt.Sprintf(" time=%s ms", rounded(got.took))
	}
	if again {
		line += " (DUP!)"
	}
	fmt.Fprintln(p.out, line)
}

// report reports a failure. Like iputils, a quiet ping does not count those of this network.
func (p *pinger) report(failed failure) {
	if failed.local {
		if !p.quiet {
			p.say("%s", failed.localText())
			p.errors++
		}
		return
	}
	p.acknowledge(failed.number)
	p.errors++
	if !p.quiet {
		fmt.Fprintf(p.out, "From %s icmp_seq=%d %s\n", failed.from, failed.number, failed.text())
	}
}
