// Package fault makes faults in the network of a sandbox: packets that are dropped, networks without a route, devices
// that are down. It remembers what it has done, so that the network can be mended.
package fault

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path"
	"sync"

	"github.com/google/nftables"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
)

// table is the nftables table of the faults.
const table = "fault"

// unroutePriority is before all rules but the kernel's own, which finds this network's addresses.
const unroutePriority = 1

// Faults are the faults of one network. It is safe for concurrent use.
type Faults struct {
	in *sandbox.Sandbox

	mu    sync.Mutex
	drops map[nftables.TableFamily]bool // whether there is a table of the faults
	rules []*netlink.Rule
	down  map[string]kept
}

// kept is what a device loses when it is set down: the kernel forgets it.
type kept struct {
	routes     []netlink.Route
	neighbours []netlink.Neigh
}

// New returns the faults of a network, which has none.
func New(in *sandbox.Sandbox) *Faults {
	return &Faults{in: in, drops: map[nftables.TableFamily]bool{}, down: map[string]kept{}}
}

// In reports whether these are the faults of a sandbox.
func (f *Faults) In(s *sandbox.Sandbox) bool { return f.in == s }

// Drop drops the packets that match.
func (f *Faults) Drop(match Match) error {
	if err := match.Check(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	conn, err := nftables.New(nftables.WithNetNSFd(int(f.in.Namespace)))
	if err != nil {
		return err
	}
	hook, family, devices := hooks[match.Hook], nftables.TableFamilyIPv4, []string{""}
	if match.Hook == ingress {
		family = nftables.TableFamilyNetdev
		if devices, err = f.devices(match.In); err != nil {
			return err
		}
	}
	faults := conn.AddTable(&nftables.Table{Family: family, Name: table})
	for _, device := range devices {
		chain := conn.AddChain(&nftables.Chain{
			Name: string(match.Hook) + device, Table: faults, Type: nftables.ChainTypeFilter,
			Hooknum: hook.at, Priority: &hook.priority, Device: device,
		})
		conn.AddRule(&nftables.Rule{Table: faults, Chain: chain, Exprs: match.expressions()})
	}
	if err := conn.Flush(); err != nil {
		return fmt.Errorf("nftables: %w", err)
	}
	f.drops[family] = true
	return nil
}

// devices returns the names of the devices that match a pattern, which may end in a star. There is at least one.
func (f *Faults) devices(pattern string) ([]string, error) {
	links, err := f.in.Net.LinkList()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, link := range links {
		matches, err := path.Match(pattern, link.Attrs().Name)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", pattern, err)
		}
		if matches {
			names = append(names, link.Attrs().Name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no device %s", pattern)
	}
	return names, nil
}

// Unroute makes the network behave as if it had no route to another one. The routes themselves stay. Liqo would
// restore them at once, because it watches them.
func (f *Faults) Unroute(to netip.Prefix) error {
	if !to.IsValid() || !to.Addr().Is4() {
		return fmt.Errorf("%s is not an IPv4 network", to)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	rule := netlink.NewRule()
	rule.Priority, rule.Type = unroutePriority, unix.RTN_UNREACHABLE
	rule.Dst = &net.IPNet{IP: to.Masked().Addr().AsSlice(), Mask: net.CIDRMask(to.Bits(), to.Addr().BitLen())}
	err := f.in.Net.RuleAdd(rule)
	if errors.Is(err, unix.EEXIST) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("no route to %s: %w", to, err)
	}
	f.rules = append(f.rules, rule)
	return nil
}

// SetDevice sets the devices up or down whose names match a pattern, which may end in a star. It fails if there is no
// such device. A device that is set up again gets its routes back.
func (f *Faults) SetDevice(pattern string, up bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	names, err := f.devices(pattern)
	if err != nil {
		return err
	}
	change := f.setDown
	if up {
		change = f.setUp
	}
	for _, name := range names {
		link, err := f.in.Net.LinkByName(name)
		if err == nil {
			err = change(link)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// setDown must be called with the lock held.
func (f *Faults) setDown(link netlink.Link) error {
	if link.Attrs().Flags&net.FlagUp == 0 {
		return nil
	}
	var lost kept
	var err error
	of := &netlink.Route{LinkIndex: link.Attrs().Index, Table: unix.RT_TABLE_UNSPEC}
	lost.routes, err = f.in.Net.RouteListFiltered(unix.AF_INET, of, netlink.RT_FILTER_OIF|netlink.RT_FILTER_TABLE)
	if err != nil {
		return err
	}
	neighbours, err := f.in.Net.NeighList(link.Attrs().Index, unix.AF_INET)
	if err != nil {
		return err
	}
	for _, n := range neighbours {
		if n.State&netlink.NUD_PERMANENT != 0 {
			lost.neighbours = append(lost.neighbours, n)
		}
	}
	f.down[link.Attrs().Name] = lost
	return f.in.Net.LinkSetDown(link)
}

// setUp must be called with the lock held.
func (f *Faults) setUp(link netlink.Link) error {
	if err := f.in.Net.LinkSetUp(link); err != nil {
		return err
	}
	lost := f.down[link.Attrs().Name]
	delete(f.down, link.Attrs().Name)
	for i := range lost.neighbours {
		if err := f.in.Net.NeighSet(&lost.neighbours[i]); err != nil {
			return fmt.Errorf("neighbour %s: %w", lost.neighbours[i].IP, err)
		}
	}
	for _, direct := range []bool{true, false} { // a gateway must be reachable before a route through it
		for i := range lost.routes {
			route := &lost.routes[i]
			if route.Protocol == unix.RTPROT_KERNEL || direct != (route.Gw == nil) {
				continue
			}
			// Liqo may have restored it, or have another one now.
			if err := f.in.Net.RouteAdd(route); err != nil && !errors.Is(err, unix.EEXIST) {
				return fmt.Errorf("route to %s: %w", route.Dst, err)
			}
		}
	}
	return nil
}

// Mend removes all faults. Devices that are gone stay so.
func (f *Faults) Mend() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for family := range f.drops {
		conn, err := nftables.New(nftables.WithNetNSFd(int(f.in.Namespace)))
		if err == nil {
			conn.DelTable(&nftables.Table{Family: family, Name: table})
			err = conn.Flush()
		}
		if err == nil {
			delete(f.drops, family)
		}
		errs = append(errs, err)
	}
	for _, rule := range f.rules {
		errs = append(errs, f.in.Net.RuleDel(rule))
	}
	f.rules = nil
	for name := range f.down {
		link, err := f.in.Net.LinkByName(name)
		if err != nil {
			delete(f.down, name)
			continue
		}
		errs = append(errs, f.setUp(link))
	}
	return errors.Join(errs...)
}
