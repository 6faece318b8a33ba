package process

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"

	"github.com/prometheus/procfs"
)

// listening is the state of a TCP socket that accepts connections, in /proc/net/tcp.
const listening = 0x0A

// ListensOn reports whether this process accepts connections on a TCP port. A connection to the port does not show
// whose it is: another process may have taken the port before this one wanted it.
func (p *Process) ListensOn(port int) (bool, error) {
	p.mu.Lock()
	pid := p.cmd.Process.Pid
	p.mu.Unlock()
	addresses, err := Listeners(pid)
	return slices.ContainsFunc(addresses, func(one net.TCPAddr) bool { return one.Port == port }), err
}

// Listeners returns the addresses on which processes accept TCP connections in this process's network.
func Listeners(pids ...int) ([]net.TCPAddr, error) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return nil, err
	}
	all, err := fs.NetTCP()
	if err != nil {
		return nil, err
	}
	all6, err := fs.NetTCP6()
	if err != nil && !errors.Is(err, os.ErrNotExist) { // the machine has no IPv6
		return nil, err
	}
	var files []string
	for _, pid := range pids {
		running, err := procfs.NewProc(pid)
		if err == nil {
			var open []string
			open, err = running.FileDescriptorTargets()
			files = append(files, open...)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) { // otherwise it has ended
			return nil, err
		}
	}
	var addresses []net.TCPAddr
	for _, socket := range append(all, all6...) {
		if socket.St == listening && slices.Contains(files, fmt.Sprintf("socket:[%d]", socket.Inode)) {
			addresses = append(addresses, net.TCPAddr{IP: socket.LocalAddr, Port: int(socket.LocalPort)})
		}
	}
	return addresses, nil
}
