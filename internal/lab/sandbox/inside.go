package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// sysctls is the folder of the settings of a network.
const sysctls = "/proc/sys/net"

// headerTimeout limits the time in which a client of the echo must send its request.
const headerTimeout = 10 * time.Second

// longestHostname is the number of bytes to which a kubelet shortens the name of a pod.
const longestHostname = 63

// largestDatagram is the largest size of a UDP datagram.
const largestDatagram = 1 << 16

// Echo is a pod's answer to every HTTP request.
type Echo struct {
	// Name is the pod's, in the form cluster/namespace/name.
	Name string `json:"name"`
	// Source is the address from which the request came, as the pod sees it.
	Source string `json:"source"`
}

// Hold is the process that holds a sandbox. It already runs in its own namespaces. It reads the
// Spec from stdin, applies it, and stays until stdin ends.
func Hold(stdin io.Reader, stdout io.Writer) error {
	var spec Spec
	if err := json.NewDecoder(stdin).Decode(&spec); err != nil {
		return err
	}
	if err := configure(spec); err != nil {
		return err
	}
	if err := makeRoot(spec); err != nil {
		return err
	}
	for _, port := range spec.Echo {
		listener, err := net.Listen("tcp", fmt.Sprintf(":%d", port))
		if err != nil {
			return err
		}
		server := &http.Server{Handler: echo(spec.Name), ReadHeaderTimeout: headerTimeout}
		go func() { _ = server.Serve(listener) }() // it ends with the process
		datagrams, err := net.ListenPacket("udp", fmt.Sprintf(":%d", port))
		if err != nil {
			return err
		}
		go sendBack(datagrams)
	}
	if _, err := io.WriteString(stdout, ready); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, stdin)
	return err
}

// sendBack answers each datagram with itself. It ends with the process.
func sendBack(conn net.PacketConn) {
	buffer := make([]byte, largestDatagram)
	for {
		size, from, err := conn.ReadFrom(buffer)
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err == nil: // otherwise the kernel says that a former answer has not arrived
			_, _ = conn.WriteTo(buffer[:size], from) // nobody misses an answer more than the one who asked
		}
	}
}

// configure sets up the parts of the network that concern only this sandbox, and its host name.
func configure(spec Spec) error {
	name := path.Base(spec.Name)
	if err := unix.Sethostname([]byte(name[:min(len(name), longestHostname)])); err != nil {
		return fmt.Errorf("host name %s: %w", name, err)
	}
	for name, value := range spec.Sysctls {
		if err := os.WriteFile(filepath.Join(sysctls, name), []byte(value), 0); err != nil {
			return err
		}
	}
	loopback, err := netlink.LinkByName("lo")
	if err != nil {
		return err
	}
	if err := netlink.LinkSetUp(loopback); err != nil {
		return fmt.Errorf("lo: %w", err)
	}
	return nil
}

// echo answers with the pod's name and the source of the request, after as many spaces as the query `bytes` says.
func echo(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		source, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		spaces := bytes.Repeat([]byte(" "), 1<<16)
		for size, _ := strconv.Atoi(r.FormValue("bytes")); size > 0 && err == nil; size -= len(spaces) {
			_, err = w.Write(spaces[:min(size, len(spaces))])
		}
		_ = json.NewEncoder(w).Encode(Echo{Name: name, Source: source}) // an error means that the client is gone
	})
}
