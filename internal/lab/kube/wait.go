package kube

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/process"
)

const (
	// startTimeout limits the time until a program works. This takes seconds, but the machine may
	// be busy.
	startTimeout = 2 * time.Minute
	// portAttempts is how often a program is started on another port because another process took
	// its port.
	portAttempts = 5
	// portTaken is what programs log when their port is taken.
	portTaken = "address already in use"
	// dialInterval is the time between attempts to connect to a program that starts.
	dialInterval = 20 * time.Millisecond
)

// whileRunning runs work. It ends the work with an error when the process ends or the work takes
// too long.
func (c *Cluster) whileRunning(ctx context.Context, p *process.Process, work func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timeout := time.AfterFunc(startTimeout, func() {
		cancel(p.WithLog(fmt.Errorf("it does not work after %s", startTimeout)))
	})
	defer timeout.Stop()
	go func() {
		select {
		case <-p.Done():
			cancel(p.Failure())
		case <-ctx.Done():
		}
	}()
	if err := work(ctx); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	return nil
}

// exists is true for every existing object.
func exists[T client.Object](T) bool { return true }

// named selects one object for a wait.
func named(object client.Object) []client.ListOption {
	return []client.ListOption{
		client.InNamespace(object.GetNamespace()), client.MatchingFields{"metadata.name": object.GetName()},
	}
}

// serve starts a program that listens on a port, waits until it does, and returns the port.
// Preferred is the port to try first, or zero.
func (c *Cluster) serve(
	ctx context.Context, program binaries.Program, preferred int, env []string, args func(port int) []string,
) (int, error) {
	port := preferred
	for attempt := 1; ; attempt++ {
		if port == 0 {
			var err error
			if port, err = freePort(); err != nil {
				return 0, err
			}
		}
		p, err := c.start(program, env, args(port)...)
		if err != nil {
			return 0, err
		}
		err = c.whileRunning(ctx, p, func(ctx context.Context) error { return awaitPort(ctx, p, port) })
		if err == nil {
			p.Keep()
			return port, nil
		}
		if attempt == portAttempts || ctx.Err() != nil || !p.Says(portTaken) {
			return 0, err
		}
		port = 0
	}
}

// freePort returns a port of the loopback interface that is free at the moment.
func freePort() (int, error) {
	ports, err := freePorts(1)
	if err != nil {
		return 0, err
	}
	return ports[0], nil
}

// freePorts returns several of them, each once. The system may give the same one again as soon as it is free.
func freePorts(number int) ([]int, error) {
	ports := make([]int, number)
	for i := range ports {
		listener, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
		if err != nil {
			return nil, err
		}
		defer listener.Close() //nolint:gocritic // all of them stay open until the last one is known
		address, ok := listener.Addr().(*net.TCPAddr)
		if !ok {
			return nil, errors.New("a TCP listener without a TCP address")
		}
		ports[i] = address.Port
	}
	return ports, nil
}

// awaitPort waits until a process accepts connections on a port. There is no event for this.
func awaitPort(ctx context.Context, p *process.Process, port int) error {
	ticker := time.NewTicker(dialInterval)
	defer ticker.Stop()
	for {
		if dial(ctx, port) { // it costs less than the next question, which is needed then
			if listens, err := p.ListensOn(port); listens || err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
}

// dial reports whether any process accepts connections on a port.
func dial(ctx context.Context, port int) bool {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(loopback, strconv.Itoa(port)))
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was sent
	return true
}
