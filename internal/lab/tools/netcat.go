package tools

import (
	"flag"
	"io"
	"net"
)

// netcat listens on a port, sends its input to the first client, and prints what the client sends. It ends when the
// client does.
func netcat(args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("nc", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Bool("l", true, "listen; it does nothing else")
	port := flags.Int("p", 0, "`port`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{Port: *port})
	if err != nil {
		return err
	}
	return serve(listener, in, out)
}

// serve serves the first client of a listener.
func serve(listener *net.TCPListener, in io.Reader, out io.Writer) error {
	client, err := listener.AcceptTCP()
	_ = listener.Close() // the next netcat listens on the same port
	if err != nil {
		return err
	}
	defer client.Close()
	go func() {
		_, _ = io.Copy(client, in) // the client may end before the input does
		_ = client.CloseWrite()    // the same
	}()
	_, _ = io.Copy(out, client) // an error ends the connection, too
	return nil
}
