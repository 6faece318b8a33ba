package kube

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
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
	return cause(ctx, work(ctx))
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
		p, err := c.start(program.Name, program, env, args(port))
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
	return wait.PollUntilContextCancel(ctx, dialInterval, true, func(ctx context.Context) (bool, error) {
		if !dial(ctx, port) { // it costs less than the next question, which is needed then
			return false, nil
		}
		return p.ListensOn(port)
	})
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

// Await waits until an object of the same kind as this one fulfils a condition. The options in which select the
// objects. It uses the watch tools of client-go, so a wait survives the end of a single watch.
func Await[T client.Object](
	ctx context.Context, in client.WithWatch, kind T, fulfils func(T) bool, which ...client.ListOption,
) error {
	gvk, err := in.GroupVersionKindFor(kind)
	if err != nil {
		return err
	}
	made, err := in.Scheme().New(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err != nil {
		return err
	}
	list, ok := made.(client.ObjectList)
	if !ok {
		return fmt.Errorf("%T is no list", made)
	}
	objects := cache.ToListWatcherWithWatchListSemantics(listWatch(in, list, which), in)
	_, err = watchtools.UntilWithSync(ctx, objects, kind, nil, func(event watch.Event) (bool, error) {
		object, ok := event.Object.(T)
		return ok && event.Type != watch.Deleted && fulfils(object), nil
	})
	return cause(ctx, err)
}

// AwaitDeleted waits until every object of a list has been deleted. The list was read with these options.
func AwaitDeleted(
	ctx context.Context, in client.WithWatch, listed client.ObjectList, which ...client.ListOption,
) error {
	left := map[types.UID]bool{}
	err := meta.EachListItem(listed, func(item runtime.Object) error {
		object, err := meta.Accessor(item)
		if err == nil {
			left[object.GetUID()] = true
		}
		return err
	})
	if err != nil || len(left) == 0 {
		return err
	}
	allDeleted := func(event watch.Event) (bool, error) {
		if event.Type == watch.Error {
			return false, apierrors.FromObject(event.Object)
		}
		object, err := meta.Accessor(event.Object)
		if err == nil && event.Type == watch.Deleted {
			delete(left, object.GetUID())
		}
		return len(left) == 0, err
	}
	_, err = watchtools.Until(ctx, listed.GetResourceVersion(), listWatch(in, listed, which), allDeleted)
	return cause(ctx, err)
}

// cause returns the cause of the end of ctx if it is the reason for an error.
func cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// listWatch lets client-go's tools list and watch objects with controller-runtime's client. List is
// any list of their kind.
func listWatch(in client.WithWatch, list client.ObjectList, which []client.ListOption) *cache.ListWatch {
	options := func(raw metav1.ListOptions) []client.ListOption {
		return append([]client.ListOption{&client.ListOptions{Raw: &raw, Limit: raw.Limit, Continue: raw.Continue}}, which...)
	}
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, raw metav1.ListOptions) (runtime.Object, error) {
			//nolint:errcheck,forcetypeassert // a copy has its original's type
			found := list.DeepCopyObject().(client.ObjectList)
			return found, in.List(ctx, found, options(raw)...)
		},
		WatchFuncWithContext: func(ctx context.Context, raw metav1.ListOptions) (watch.Interface, error) {
			return in.Watch(ctx, list, options(raw)...)
		},
	}
}
