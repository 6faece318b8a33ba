// Package netcat is the nc of busybox as far as a pod needs it to send something to whoever asks.
package netcat

import (
	"fmt"
	"io"
	"net"
	"os"
	"strconv"

	"github.com/spf13/pflag"
)

// Main listens on a port, sends what it reads from stdin to the first client, and prints what the client sends. It ends
// when the client does. The exit status is that of busybox.
func Main(args []string, out, messages io.Writer) (status int) {
	return run(args, os.Stdin, out, messages)
}

func run(args []string, in io.Reader, out, messages io.Writer) (status int) {
	flags := pflag.NewFlagSet("nc", pflag.ContinueOnError)
	flags.SetOutput(messages)
	listens := flags.BoolP("listen", "l", false, "listen")
	port := flags.Uint16P("port", "p", 0, "local port")
	if err := flags.Parse(args); err != nil {
		fmt.Fprintln(messages, "nc:", err)
		return 1
	}
	if !*listens || *port == 0 || flags.NArg() > 0 {
		fmt.Fprintln(messages, "nc: only nc -l -p PORT is there")
		return 1
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("", strconv.Itoa(int(*port))))
	if err == nil {
		err = serve(listener, in, out)
	}
	if err != nil {
		fmt.Fprintln(messages, "nc:", err)
		return 1
	}
	return 0
}

// serve serves the first client of a listener.
func serve(listener net.Listener, in io.Reader, out io.Writer) error {
	conn, err := listener.Accept()
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := listener.Close(); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(conn, in) // the client may end before the input does
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.CloseWrite() // the same
		}
	}()
	_, _ = io.Copy(out, conn) // an error ends the connection, too
	return nil
}
