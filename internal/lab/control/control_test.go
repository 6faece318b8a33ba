package control

import (
	"net"
	"path/filepath"
	"sync"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// closing is a listener that reports when it is closed.
type closing struct {
	net.Listener
	once   sync.Once
	closed chan struct{}
}

func (c *closing) Close() error {
	defer c.once.Do(func() { close(c.closed) })
	return c.Listener.Close()
}

func TestAClientThatStopsTheLabHasItsAnswerAlthoughTheServerEndsAtOnce(t *testing.T) {
	for range 50 {
		listenAndStop(t)
	}
}

func listenAndStop(t *testing.T) {
	t.Helper()
	dir, err := labdir.Create(filepath.Join(t.TempDir(), "lab"))
	if err != nil {
		t.Fatal(err)
	}
	socket, err := dir.Listen()
	if err != nil {
		t.Fatal(err)
	}
	listener := &closing{Listener: socket, closed: make(chan struct{})}
	asked, ended := make(chan struct{}), make(chan struct{})
	end := Serve(listener, func(Request) (string, error) {
		close(asked)
		<-listener.closed // the server has begun to end while it answers
		return "stopped", nil
	})
	go func() {
		<-asked
		end()
		close(ended)
	}()
	if output, err := Run(t.Context(), dir.Path, "stop"); err != nil || output != "stopped" {
		t.Fatalf("%q, %v", output, err)
	}
	<-ended
}
