package netcat

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
)

func TestTheFirstClientGetsTheInputAndMaySaySomething(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	var said bytes.Buffer
	ended := make(chan error, 1)
	go func() { ended <- serve(listener, strings.NewReader("zeros"), &said) }()
	conn, err := net.Dial("tcp", address)
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

func TestWhatIsNotThereIsSaid(t *testing.T) {
	for _, args := range [][]string{{"example.org", "80"}, {"-l"}, {"-l", "-p", "5201", "-e", "sh"}, {"-p", "5201"}} {
		var messages bytes.Buffer
		if status := run(args, nil, io.Discard, &messages); status == 0 || messages.Len() == 0 {
			t.Errorf("%q: status %d, %q", args, status, &messages)
		}
	}
}
