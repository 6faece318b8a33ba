package real

import (
	"io"
	"net"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
)

// relay makes the machine's API server reachable in a sandbox at the same address.
type relay struct{ listener net.Listener }

func startRelay(in *sandbox.Sandbox, address string) (*relay, error) {
	listener, err := in.Listen(address)
	if err != nil {
		return nil, err
	}
	r := &relay{listener}
	go r.serve(address)
	return r, nil
}

// serve forwards connections until the relay is closed. A connection ends when one of its ends
// does.
func (r *relay) serve(address string) {
	for {
		inside, err := r.listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer inside.Close()
			outside, err := net.Dial("tcp", address)
			if err != nil {
				return // the API server does not run
			}
			defer outside.Close()
			go func() {
				_, _ = io.Copy(outside, inside)
				_ = outside.Close()
			}()
			_, _ = io.Copy(inside, outside)
		}()
	}
}

func (r *relay) close() { _ = r.listener.Close() }
