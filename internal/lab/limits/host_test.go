//go:build lab

package limits

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
	"k8s.io/klog/v2"
)

func TestMain(m *testing.M) {
	klog.LogToStderr(false) // Liqo's controller says what it does
	klog.SetOutput(io.Discard)
	os.Exit(m.Run())
}

// host is a network namespace: a pod, a gateway, or what is around a gateway.
type host struct {
	t    *testing.T
	name string
	ns   netns.NsHandle
	net  *netlink.Handle
}

func newHost(t *testing.T, name string) *host {
	t.Helper()
	h := &host{t: t, name: name}
	h.must(onOwnThread(func() (err error) {
		if h.ns, err = netns.New(); err != nil {
			return err
		}
		h.net, err = netlink.NewHandleAt(h.ns, unix.NETLINK_ROUTE, unix.NETLINK_NETFILTER)
		return err
	}))
	t.Cleanup(func() {
		h.net.Close()
		_ = h.ns.Close()
	})
	h.must(h.net.LinkSetUp(h.link("lo")))
	h.set("ipv6/conf/all/disable_ipv6", "1") // which would send packets by itself
	return h
}

func (h *host) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatalf("%s: %v", h.name, err)
	}
}

// onOwnThread calls a function on a thread of its own, which ends with it. All of them run on one core, on which
// packets stay in their order.
func onOwnThread(f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // for good
		var first unix.CPUSet
		first.Set(0)
		done <- errors.Join(unix.SchedSetaffinity(0, &first), f())
	}()
	return <-done
}

// do calls a function in the namespace. Sockets that it opens stay there.
func (h *host) do(f func() error) error {
	return onOwnThread(func() error {
		if err := netns.Set(h.ns); err != nil {
			return err
		}
		return f()
	})
}

// set changes a setting of the kernel, by its path below net.
func (h *host) set(setting, value string) {
	h.t.Helper()
	h.must(h.do(func() error { return os.WriteFile("/proc/sys/net/"+setting, []byte(value), 0) }))
}

func (h *host) link(name string) netlink.Link {
	h.t.Helper()
	link, err := h.net.LinkByName(name)
	h.must(err)
	return link
}

// address gives a device another address.
func (h *host) address(device, address string) {
	h.t.Helper()
	h.must(h.net.AddrAdd(h.link(device), &netlink.Addr{IPNet: network(address)}))
}

// route leads a range out of a device.
func (h *host) route(cidr, device string) {
	h.t.Helper()
	index := h.link(device).Attrs().Index
	h.must(h.net.RouteReplace(&netlink.Route{LinkIndex: index, Dst: network(cidr), Scope: unix.RT_SCOPE_LINK}))
}

func network(cidr string) *net.IPNet {
	prefix := netip.MustParsePrefix(cidr)
	return &net.IPNet{IP: prefix.Addr().AsSlice(), Mask: net.CIDRMask(prefix.Bits(), 32)}
}

// join makes a pair of devices between two hosts. Neither asks for the hardware address of the other: it is the same.
func join(a *host, deviceOfA, addressOfA string, b *host, deviceOfB, addressOfB string) {
	a.t.Helper()
	attrs := netlink.NewLinkAttrs()
	attrs.Name = "one"
	a.must(a.net.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "other", PeerNamespace: netlink.NsFd(b.ns)}))
	for _, end := range []struct {
		*host
		was, device, is string
	}{{a, "one", deviceOfA, addressOfA}, {b, "other", deviceOfB, addressOfB}} {
		link := end.link(end.was)
		end.must(end.net.LinkSetName(link, end.device))
		end.must(end.net.LinkSetHardwareAddr(link, net.HardwareAddr{2, 0, 0, 0, 0, 1}))
		end.must(end.net.LinkSetARPOff(link))
		end.must(end.net.LinkSetUp(link))
		end.address(end.device, end.is)
	}
}

// hears waits until another host has seen everything that was sent to it: it refuses a connection after that.
func (h *host) hears(address string) {
	h.t.Helper()
	dialer := net.Dialer{Timeout: 5 * time.Second}
	err := h.do(func() error {
		conn, err := dialer.Dial("tcp4", address+":9")
		if err == nil {
			_ = conn.Close()
		}
		return err
	})
	if !errors.Is(err, syscall.ECONNREFUSED) {
		h.t.Fatalf("%s asks %s: %v", h.name, address, err)
	}
}
