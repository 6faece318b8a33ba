package tools

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
)

func TestTheFirstClientGetsTheInputAndMaySaySomething(t *testing.T) {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	ended := make(chan error, 1)
	go func() { ended <- serve(listener, strings.NewReader("zeros"), &said) }()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte("GET / HTTP/1.1\r\n")); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if err != nil || string(got) != "zeros" {
		t.Errorf("got %q, %v", got, err)
	}
	conn.Close()
	if err := <-ended; err != nil || said.String() != "GET / HTTP/1.1\r\n" {
		t.Errorf("it printed %q, %v", said.String(), err)
	}
}

func TestANetcatOnAPortThatIsTakenFails(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := netcat([]string{"-l", "-p", port}, nil, io.Discard); err == nil {
		t.Error("it has not")
	}
}
