// Package fault makes faults in the network of a sandbox: packets that are dropped, and networks without a route. It
// remembers what it has done, so that the network can be mended.
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
}

// New returns the faults of a network, which has none.
func New(in *sandbox.Sandbox) *Faults {
	return &Faults{in: in, drops: map[nftables.TableFamily]bool{}}
}

// Drop drops the packets that match.
func (f *Faults) Drop(match Match) error {
	if err := match.Check(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	hook, family, devices := hooks[match.Hook], nftables.TableFamilyIPv4, []string{""}
	if match.Hook == ingress {
		family = nftables.TableFamilyNetdev
		var err error
		if devices, err = f.devices(match.In); err != nil {
			return err
		}
	}
	err := ChangeRules(f.in, func(conn *nftables.Conn) {
		faults := conn.AddTable(&nftables.Table{Family: family, Name: table})
		for _, device := range devices {
			chain := conn.AddChain(&nftables.Chain{
				Name: string(match.Hook) + device, Table: faults, Type: nftables.ChainTypeFilter,
				Hooknum: hook.at, Priority: &hook.priority, Device: device,
			})
			conn.AddRule(&nftables.Rule{Table: faults, Chain: chain, Exprs: match.expressions()})
		}
	})
	if err == nil {
		f.drops[family] = true
	}
	return err
}

// ChangeRules changes the nftables of a network.
func ChangeRules(in *sandbox.Sandbox, change func(*nftables.Conn)) error {
	conn, err := nftables.New(nftables.WithNetNSFd(int(in.Namespace)))
	if err != nil {
		return err
	}
	change(conn)
	if err := conn.Flush(); err != nil {
		return fmt.Errorf("nftables: %w", err)
	}
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

// Mend removes all faults.
func (f *Faults) Mend() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for family := range f.drops {
		err := ChangeRules(f.in, func(conn *nftables.Conn) {
			conn.DelTable(&nftables.Table{Family: family, Name: table})
		})
		if err == nil {
			delete(f.drops, family)
		}
		errs = append(errs, err)
	}
	for _, rule := range f.rules {
		errs = append(errs, f.in.Net.RuleDel(rule))
	}
	f.rules = nil
	return errors.Join(errs...)
}
