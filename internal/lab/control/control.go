// Package control lets other processes run commands in the process of a lab, with JSON-RPC over a unix socket in the
// lab's folder.
package control

import (
	"context"
	"net"
	"net/rpc"
	"net/rpc/jsonrpc"
	"os"
	"sync"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// shutdownTimeout limits how long open requests can delay the end of a lab.
const shutdownTimeout = 2 * time.Second

// Request is a command line without the program's name.
type Request struct {
	Args []string
	// Folder is where the command was typed. Relative paths start there.
	Folder string
}

// Lab runs commands, in the form of net/rpc.
type Lab struct {
	run func(Request) (string, error)
}

// Run runs a command, and sets its output. It continues if the client leaves, because half a change would be worse.
func (l *Lab) Run(request Request, output *string) (err error) {
	*output, err = l.run(request)
	return err
}

// Serve runs commands until end is called. That closes the listener and returns when all earlier requests
// have their answers. Run may call end at any time.
func Serve(listener net.Listener, run func(Request) (output string, err error)) (end func()) {
	server := rpc.NewServer()
	if err := server.Register(&Lab{run}); err != nil {
		panic(err) // it has no method
	}
	var clients sync.WaitGroup
	clients.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			clients.Go(func() { server.ServeCodec(jsonrpc.NewServerCodec(conn)) }) // until the client goes
		}
	})
	return func() {
		_ = listener.Close()
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			clients.Wait()
		}()
		select {
		case <-answered:
		case <-time.After(shutdownTimeout): // the lab ends, whoever still waits for an answer
		}
	}
}

// Run lets the lab in a folder run a command, and returns the output. The error is labdir.ErrNoLab if no lab runs
// there.
func Run(ctx context.Context, dir string, args ...string) (output string, err error) {
	folder, _ := os.Getwd() // in a folder that is gone, only absolute paths mean something
	conn, err := labdir.Dial(dir)
	if err != nil {
		return "", err
	}
	client := jsonrpc.NewClient(conn)
	defer client.Close()
	defer context.AfterFunc(ctx, func() { _ = client.Close() })()
	if err = client.Call("Lab.Run", Request{args, folder}, &output); err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return output, err
}
