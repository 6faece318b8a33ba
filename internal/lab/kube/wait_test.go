package kube

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/process"
)

// asServer makes the test program listen on the address that is its argument.
const asServer = "CLUSTER_TEST_AS_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) == "" {
		os.Exit(m.Run())
	}
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for {
		if _, err := listener.Accept(); err != nil {
			os.Exit(1)
		}
	}
}

func address(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

func TestAProgramWhosePortAnotherProcessTookListensOnAnotherPort(t *testing.T) {
	for _, host := range []string{"0.0.0.0", ""} {
		taken, err := freePort()
		if err != nil {
			t.Fatal(err)
		}
		other, err := net.Listen("tcp", address(host, taken))
		if err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		c := &Cluster{
			Options: Options{
				Logs: folder, Installation: Installation{Programs: map[string]string{binaries.LiqoIPAM.Name: os.Args[0]}},
			},
			controllers: &controllers{processes: map[string]*process.Process{}, stopManager: func() {}},
		}
		port, err := c.serve(t.Context(), binaries.LiqoIPAM, taken, []string{asServer + "=yes"}, func(port int) []string {
			return []string{address(host, port)}
		})
		if err != nil || port == taken {
			t.Errorf("host %q: the port is %d, and %d is taken: %v", host, port, taken, err)
		}
		if conn, err := net.Dial("tcp", address(loopback, port)); err != nil {
			t.Errorf("host %q: nothing listens on port %d: %v", host, port, err)
		} else if err := conn.Close(); err != nil {
			t.Error(err)
		}
		c.controllers.stop(t.Context())
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestPortsThatAreChosenTogetherAreDifferentOnes(t *testing.T) {
	ports, err := freePorts(500)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(ports)
	if different := len(slices.Compact(ports)); different != 500 {
		t.Errorf("only %d of 500 ports are different ones", different)
	}
}

// memoryCluster is a cluster in memory. It runs a function as soon as a client watches it.
type memoryCluster struct{ client.WithWatch }

// IsWatchListSemanticsUnSupported tells client-go's reflector that a watch of this cluster does not
// begin with the objects that exist.
func (memoryCluster) IsWatchListSemanticsUnSupported() bool { return true }

func newMemoryCluster(watched func(client.Client) error, objects ...client.Object) memoryCluster {
	return memoryCluster{fake.NewClientBuilder().WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		Watch: func(
			ctx context.Context, in client.WithWatch, list client.ObjectList, options ...client.ListOption,
		) (watch.Interface, error) {
			watching, err := in.Watch(ctx, list, options...)
			return watching, errors.Join(err, watched(in))
		},
	}).Build()}
}

func nothing(client.Client) error { return nil }

func newNode(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}}
}

func cordoned(node *corev1.Node) bool { return node.Spec.Unschedulable }

func TestAnObjectThatIsThereAlreadyIsNotWaitedFor(t *testing.T) {
	node := newNode("rome")
	node.Spec.Unschedulable = true
	if err := Await(t.Context(), newMemoryCluster(nothing, node), &corev1.Node{}, cordoned); err != nil {
		t.Error(err)
	}
}

func TestAnObjectIsWaitedForUntilItFulfilsTheCondition(t *testing.T) {
	in := newMemoryCluster(func(in client.Client) error {
		node := newNode("rome")
		return in.Patch(t.Context(), node, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"unschedulable":true}}`)))
	}, newNode("rome"))
	if err := Await(t.Context(), in, &corev1.Node{}, cordoned); err != nil {
		t.Error(err)
	}
}

func TestAWaitEndsWithTheCauseOfItsContextsEnd(t *testing.T) {
	gaveUp := errors.New("gave up")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, gaveUp)
	defer cancel()
	if err := Await(ctx, newMemoryCluster(nothing, newNode("rome")), &corev1.Node{}, cordoned); !errors.Is(err, gaveUp) {
		t.Errorf("the error is %v", err)
	}
}

func TestEveryListedObjectIsWaitedForUntilItIsDeleted(t *testing.T) {
	deleted := false
	in := newMemoryCluster(func(in client.Client) error {
		deleted = true
		return errors.Join(in.Delete(t.Context(), newNode("rome")), in.Delete(t.Context(), newNode("milan")))
	}, newNode("rome"), newNode("milan"))
	var nodes corev1.NodeList
	if err := in.List(t.Context(), &nodes); err != nil {
		t.Fatal(err)
	}
	nodes.ResourceVersion = "1" // the list of a cluster in memory has none
	if err := AwaitDeleted(t.Context(), in, &nodes); err != nil || !deleted {
		t.Errorf("watched and deleted: %v; %v", deleted, err)
	}
}

func TestAnEmptyListIsNotWaitedFor(t *testing.T) {
	if err := AwaitDeleted(t.Context(), newMemoryCluster(nothing), &corev1.NodeList{}); err != nil {
		t.Error(err)
	}
}
