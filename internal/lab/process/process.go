// Package process runs the programs of a lab cluster as child processes, each with a log file.
package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

const (
	// restartDelay is the time before a kept process that ended by itself starts again.
	restartDelay = 500 * time.Millisecond
	// stopGrace is the time from SIGTERM until a process is killed.
	stopGrace = 5 * time.Second
)

// Spec says which program to run.
type Spec struct {
	// Name is the name of the process in messages.
	Name string
	// Path is the program's file. Args are its arguments without the program's name.
	Path string
	Args []string
	// Env is added to the environment of the lab, in the form KEY=value.
	Env []string
	// Log is the file to which stdout and stderr are appended.
	Log string
}

// Process is a running child process. It is safe for concurrent use.
type Process struct {
	spec  Spec
	begun int64 // the length of the log before the start
	done  chan struct{}
	stop  chan struct{}

	mu       sync.Mutex
	cmd      *exec.Cmd
	kept     bool
	stopping bool
	restarts int
	err      error
}

// Start starts the process and returns at once.
func Start(spec Spec) (*Process, error) {
	p := &Process{spec: spec, done: make(chan struct{}), stop: make(chan struct{})}
	if log, err := os.Stat(spec.Log); err == nil {
		p.begun = log.Size()
	}
	if err := p.launch(); err != nil {
		return nil, err
	}
	go p.watch()
	return p, nil
}

// Keep makes the process start again whenever it ends by itself, as a cluster does with a
// container.
func (p *Process) Keep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept = true
}

// Restarts returns how often the process has ended by itself and was started again.
func (p *Process) Restarts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.restarts
}

// Done returns a channel that is closed when the process has ended for good.
func (p *Process) Done() <-chan struct{} { return p.done }

// Failure returns the error of a process that ended by itself, with the end of its log.
func (p *Process) Failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	reason := "it ended"
	if p.err != nil {
		reason = p.err.Error()
	}
	return p.WithLog(errors.New(reason))
}

// Says reports whether the process has written a text into its log, to which earlier ones have written, too.
func (p *Process) Says(text string) bool {
	log, err := os.ReadFile(p.spec.Log)
	return err == nil && strings.Contains(string(log[min(p.begun, int64(len(log))):]), text)
}

// WithLog adds the process's name and the end of its log to an error.
func (p *Process) WithLog(err error) error {
	return WithLog(fmt.Errorf("%s: %w", p.spec.Name, err), p.spec.Log)
}

// Abandon stops restarting the process, which another process will kill.
func (p *Process) Abandon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.giveUp()
}

// giveUp must be called with the lock held.
func (p *Process) giveUp() {
	if !p.stopping {
		p.stopping = true
		close(p.stop)
	}
}

// Stop ends the process with SIGTERM. If it still runs after five seconds, or when ctx ends, Stop
// uses SIGKILL. It returns when the process is gone.
func (p *Process) Stop(ctx context.Context) {
	p.mu.Lock()
	p.giveUp()
	p.signal(syscall.SIGTERM)
	p.mu.Unlock()

	grace := time.NewTimer(stopGrace)
	defer grace.Stop()
	select {
	case <-p.done:
		return
	case <-ctx.Done():
	case <-grace.C:
	}
	p.Kill()
	<-p.done
}

// Kill ends the process with SIGKILL. A process that is kept starts again.
func (p *Process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.signal(syscall.SIGKILL)
}

// signal must be called with the lock held.
func (p *Process) signal(sig os.Signal) {
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.err = errors.Join(p.err, err)
	}
}

func (p *Process) launch() error {
	log, err := os.OpenFile(p.spec.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()

	cmd := exec.Command(p.spec.Path, p.spec.Args...)
	cmd.Env = append(os.Environ(), p.spec.Env...)
	cmd.Stdout, cmd.Stderr = log, log
	// The process has its own process group, so that Ctrl-C in a terminal reaches only the lab. The
	// lab then stops everything in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}

	p.mu.Lock()
	defer p.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", p.spec.Name, err)
	}
	p.cmd = cmd
	return nil
}

// watch waits for the process and starts it again while it is kept.
func (p *Process) watch() {
	defer close(p.done)
	for {
		err := p.cmd.Wait()
		// As in a container, what the process has started ends with it. An error means that there is
		// nothing.
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		if !p.again(err) {
			return
		}
		select {
		case <-p.stop:
			return
		case <-time.After(restartDelay):
		}
		if err := p.launch(); err != nil {
			p.again(err)
			return
		}
		p.mu.Lock()
		if p.stopping { // Stop came between the delay and the launch and signalled the process before this one.
			p.signal(syscall.SIGTERM)
		}
		p.mu.Unlock()
	}
}

// again records how the process ended and reports whether to start it again.
func (p *Process) again(err error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
	if p.stopping || !p.kept {
		return false
	}
	p.restarts++
	return true
}

// tailLines is the number of lines of a log that an error shows.
const tailLines = 15

// WithLog adds the last lines of a log file to an error. A log that is missing, empty or not readable adds nothing.
func WithLog(err error, file string) error {
	content, _ := os.ReadFile(file)
	lines := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	if tail := strings.Join(lines[max(0, len(lines)-tailLines):], "\n  "); tail != "" {
		return fmt.Errorf("%w\nthe last lines of %s:\n  %s", err, file, tail)
	}
	return err
}

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
