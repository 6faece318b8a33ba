//go:build lab

package limits

import (
	"net"
	"os"
	"strings"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// conversation is a connection of TCP, or a flow of UDP.
type conversation struct {
	*pair
	asker, asked net.Conn
}

// ask opens a conversation from one pod to another one at an address. It returns nil if that is not possible.
func (p *pair) ask(protocol string, from, to *host, address string, options ...func(*net.Dialer)) *conversation {
	p.t.Helper()
	c := &conversation{pair: p}
	var accept func() (net.Conn, error)
	to.must(to.do(func() error {
		if protocol == liqo.UDP {
			socket, err := net.ListenPacket("udp4", ":"+portOf(address))
			accept = func() (net.Conn, error) { return &answering{PacketConn: socket}, err }
			return err
		}
		listener, err := net.Listen("tcp4", ":"+portOf(address))
		accept = listener.Accept
		p.t.Cleanup(func() { _ = listener.Close() })
		return err
	}))
	dialer := &net.Dialer{Timeout: 300 * time.Millisecond, KeepAliveConfig: net.KeepAliveConfig{Enable: false}}
	for _, option := range options {
		option(dialer)
	}
	err := from.do(func() (err error) { c.asker, err = dialer.Dial(strings.ToLower(protocol)+"4", address); return err })
	if err != nil {
		return nil
	}
	c.asked, err = accept()
	to.must(err)
	p.t.Cleanup(func() { _, _ = c.asker.Close(), c.asked.Close() })
	if c.heard(c.asker, c.asked, "question") != "question" {
		return nil
	}
	if answer := c.heard(c.asked, c.asker, "answer"); answer != "answer" {
		p.t.Fatalf("the asker hears %q", answer)
	}
	return c
}

func portOf(address string) string { return address[strings.LastIndex(address, ":")+1:] }

// answering is a socket of UDP that answers to whoever has asked it.
type answering struct {
	net.PacketConn
	peer net.Addr
}

func (a *answering) Read(buffer []byte) (size int, err error) {
	size, from, err := a.ReadFrom(buffer)
	if err == nil {
		a.peer = from
	}
	return size, err
}

func (a *answering) Write(content []byte) (int, error) { return a.WriteTo(content, a.peer) }
func (a *answering) RemoteAddr() net.Addr              { return a.peer }

// heard lets one side say something, and returns what the other one has heard when all packets have arrived.
func (c *conversation) heard(from, to net.Conn, words string) string {
	c.t.Helper()
	if _, err := from.Write([]byte(words)); err != nil {
		return err.Error()
	}
	c.settle()
	return c.hears(to, 10*time.Millisecond)
}

// hears returns what a side hears in this time, or until the end of a word.
func (c *conversation) hears(side net.Conn, within time.Duration) string {
	buffer := make([]byte, 1000)
	if err := side.SetReadDeadline(time.Now().Add(within)); err != nil {
		c.t.Fatal(err)
	}
	size, err := side.Read(buffer)
	if err != nil && !os.IsTimeout(err) {
		return err.Error()
	}
	return string(buffer[:size])
}
