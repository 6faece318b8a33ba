package process

import (
	"errors"
	"fmt"
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
	sockets, err := listeners(port)
	if err != nil || len(sockets) == 0 {
		return false, err
	}
	var files []string
	running, err := procfs.NewProc(pid)
	if err == nil {
		files, err = running.FileDescriptorTargets()
	}
	if errors.Is(err, os.ErrNotExist) { // it has ended
		return false, nil
	}
	return slices.ContainsFunc(files, func(file string) bool { return slices.Contains(sockets, file) }), err
}

// listeners returns the sockets of all processes that accept connections on a TCP port, as their file descriptors name
// them.
func listeners(port int) ([]string, error) {
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
	var sockets []string
	for _, socket := range append(all, all6...) {
		if socket.St == listening && socket.LocalPort == uint64(port) {
			sockets = append(sockets, fmt.Sprintf("socket:[%d]", socket.Inode))
		}
	}
	return sockets, nil
}
