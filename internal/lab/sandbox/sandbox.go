// Package sandbox gives a pod or a node of a lab its own network and file system, as a container
// would. A process of the lab holds both. Nothing of a sandbox has a name that could be left
// behind: its network, with every device and address, ends with its processes.
package sandbox

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// ready is what the process in a sandbox prints when the sandbox is as its Spec says.
const ready = "ready\n"

// Spec describes a sandbox.
type Spec struct {
	// Name is the name in the answers of its echo. The part after the last slash is its host name.
	Name string
	// Sysctls are settings of its network, by their path below /proc/sys/net.
	Sysctls map[string]string
	// Mounts are files and folders of the machine, by the path in the sandbox. None is in the
	// folder for temporary files. Files are contents by path; they are only in memory. Folders are
	// empty. The sandbox sees nothing else of the machine's file system except its devices and
	// processes.
	Mounts  map[string]string
	Files   map[string][]byte
	Folders []string
	// Shared are folders of the machine that the sandbox also sees, read-only, if they exist.
	Shared []string
	// Container makes the file system that of a container with the programs of the machine, read-only, and with devices
	// and a folder for temporary files of its own.
	Container bool
	// Writable are empty files that everybody can write.
	Writable []string
	// Echo are the ports on which it answers HTTP requests, and sends datagrams back.
	Echo []uint16
}

// Sandbox is a running sandbox.
type Sandbox struct {
	// PID is the process that holds it.
	PID int
	// Net changes its network from outside.
	Net *netlink.Handle
	// Namespace is its open network.
	Namespace netns.NsHandle

	cmd   *exec.Cmd
	stdin io.Closer
}

// Start creates a sandbox, and returns when it is as spec says. Helper is the file of liqo-pod. It
// needs root.
func Start(helper string, spec Spec) (_ *Sandbox, err error) {
	s := &Sandbox{cmd: exec.Command(helper, "sandbox"), Namespace: netns.None()}
	defer func() {
		if err != nil {
			s.Stop()
			err = fmt.Errorf("sandbox %s: %w", spec.Name, err)
		}
	}()
	var stderr strings.Builder
	s.cmd.Stderr = &stderr
	s.cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNET | unix.CLONE_NEWNS | unix.CLONE_NEWUTS, Setpgid: true,
	}
	stdin, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	s.stdin = stdin
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	s.PID = s.cmd.Process.Pid
	if err := json.NewEncoder(stdin).Encode(spec); err != nil {
		return nil, err
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != ready {
		_ = s.cmd.Wait() // it has said why
		return nil, errors.Join(errors.New(strings.TrimSpace(stderr.String())), err)
	}
	if s.Namespace, err = netns.GetFromPid(s.PID); err != nil {
		return nil, err
	}
	s.Net, err = netlink.NewHandleAt(s.Namespace, unix.NETLINK_ROUTE, unix.NETLINK_NETFILTER)
	return s, err
}

// Stop ends the sandbox. All other processes in it must have ended before, because they keep the
// network alive.
func (s *Sandbox) Stop() {
	if s.Net != nil {
		s.Net.Close()
	}
	if s.Namespace.IsOpen() {
		_ = s.Namespace.Close()
	}
	if s.cmd.Process != nil {
		_ = s.stdin.Close()
		_ = s.cmd.Process.Kill() // an error means that it has ended already
		_ = s.cmd.Wait()
	}
}

// Do calls a function on a thread in the sandbox's network. Sockets and devices that the function
// opens stay in that network.
func (s *Sandbox) Do(f func() error) error {
	done := make(chan error, 1)
	go func() {
		// A thread that can't switch back stays locked, and ends with this function.
		runtime.LockOSThread()
		outside, err := netns.Get()
		if err != nil {
			done <- err
			return
		}
		defer outside.Close()
		if err := netns.Set(s.Namespace); err != nil {
			done <- err
			return
		}
		err = f()
		if netns.Set(outside) == nil {
			runtime.UnlockOSThread()
		}
		done <- err
	}()
	return <-done
}

// Enter replaces the calling process with another program in the network of a sandbox and, with
// files, in its file system. Pid is the ID of a process in the sandbox. Args begin with the
// program's path. It returns only on an error.
func Enter(pid int, files bool, args, env []string) error {
	runtime.LockOSThread() // what becomes the other program is this thread
	if err := enter(pid, files); err != nil {
		return err
	}
	if err := syscall.Exec(args[0], args, env); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return nil
}

// enter moves the calling thread, which must be locked, into a sandbox.
func enter(pid int, files bool) error {
	if err := join(pid, "net", unix.CLONE_NEWNET); err != nil || !files {
		return err
	}
	if err := join(pid, "uts", unix.CLONE_NEWUTS); err != nil {
		return err
	}
	// A thread can change its view of the file system only if no other thread shares it.
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return err
	}
	return join(pid, "mnt", unix.CLONE_NEWNS)
}

func join(pid int, kind string, flag int) error {
	namespace, err := os.Open(fmt.Sprintf("/proc/%d/ns/%s", pid, kind))
	if err != nil {
		return err
	}
	defer namespace.Close()
	if err := unix.Setns(int(namespace.Fd()), flag); err != nil {
		return fmt.Errorf("joining the sandbox of process %d: %w", pid, err)
	}
	return nil
}
