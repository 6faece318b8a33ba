package kube

import (
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"testing"

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
