package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// messageLimit is the number of last bytes of a termination message that a kubelet reports.
const messageLimit = 4096

// signalled is added to the number of the signal that has ended a program, to make its exit status.
const signalled = 128

// ContainerSpec describes a container.
type ContainerSpec struct {
	// Args begin with the program. It is looked up in the PATH of Env, in the sandbox. Env is the whole environment.
	Args, Env []string
	// Dir is the folder in which the program starts.
	Dir string
	// UID and GID are the user and the only group.
	UID, GID int
	// Bounded takes all capabilities away. NoNewPrivileges keeps the program from gaining any.
	Bounded, NoNewPrivileges bool
	// Message is the file to which the program writes its termination message.
	Message string
	// Log is the file of the machine that gets the program's output.
	Log string
}

// Container is a program that runs in a sandbox. It is the first process of its own, so everything that it starts ends
// with it. It is safe for concurrent use.
type Container struct {
	// Started is when it was started.
	Started time.Time

	cmd  *exec.Cmd
	done chan struct{}
	exit Exit // once done is closed

	mu   sync.Mutex
	kill *time.Timer
	end  time.Time // when kill does so
}

// Exit is how a container has ended.
type Exit struct {
	// StartError says why the program could not be started, or is nil.
	StartError error
	// Code is the exit status, as a shell reports it.
	Code int
	// Message is the termination message.
	Message  string
	Finished time.Time
}

// Run starts a container in the sandbox, which must have the file system of one. Helper is the file of liqo-pod. The
// container ends with the sandbox at the latest. An error says that the machine has failed. If only the program can't
// be started, the container has ended already.
func (s *Sandbox) Run(helper string, spec ContainerSpec) (*Container, error) {
	log, err := os.Create(spec.Log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	failed, failure, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer failed.Close()
	described, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	c := &Container{
		cmd: exec.Command(helper, "container", strconv.Itoa(s.PID)), done: make(chan struct{}), Started: time.Now(),
	}
	c.cmd.Stdin = bytes.NewReader(described)
	c.cmd.Stdout, c.cmd.Stderr = log, log
	c.cmd.ExtraFiles = []*os.File{failure}
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID, Setpgid: true}
	err = c.cmd.Start()
	_ = failure.Close()
	if err != nil {
		return nil, err
	}
	// The pipe ends without a reason when the program runs.
	reason, err := io.ReadAll(failed)
	if err == nil && len(reason) > 0 {
		c.exit.StartError = errors.New(string(reason))
	}
	go c.wait(s.PID, spec.Message)
	if err != nil {
		_ = c.cmd.Process.Kill() // it may have ended
		return nil, err
	}
	return c, nil
}

// wait waits for the end of the container, and records it.
func (c *Container) wait(sandbox int, message string) {
	_ = c.cmd.Wait() // the state says how it has ended
	c.exit.Finished = time.Now()
	c.exit.Code = c.cmd.ProcessState.ExitCode()
	if status, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		c.exit.Code = signalled + int(status.Signal())
	}
	if c.exit.StartError == nil {
		c.exit.Message = lastBytes(sandbox, message)
	}
	close(c.done)
}

// lastBytes returns the end of a file in a sandbox. The path leads nowhere else.
func lastBytes(sandbox int, name string) string {
	root, err := os.OpenRoot(fmt.Sprintf("/proc/%d/root", sandbox))
	if err != nil {
		return err.Error()
	}
	defer root.Close()
	// The container may have replaced the file by a pipe.
	file, err := root.OpenFile(inside(name), os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err.Error()
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > messageLimit {
		if _, err := file.Seek(-messageLimit, io.SeekEnd); err != nil {
			return err.Error()
		}
	}
	content, err := io.ReadAll(io.LimitReader(file, messageLimit))
	if err != nil {
		return err.Error()
	}
	return string(content)
}

// Done returns a channel that is closed when the container has ended.
func (c *Container) Done() <-chan struct{} { return c.done }

// Exit returns how the container has ended, or false while it runs.
func (c *Container) Exit() (Exit, bool) {
	select {
	case <-c.done:
		return c.exit, true
	default:
		return Exit{}, false
	}
}

// Terminate sends SIGTERM to the program, and SIGKILL if it still runs after the grace period. It returns at once. A
// later call can only shorten the grace period.
func (c *Container) Terminate(grace time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	end := time.Now().Add(grace)
	switch {
	case c.kill == nil:
		c.signal(syscall.SIGTERM)
	case !end.Before(c.end):
		return
	default:
		c.kill.Stop()
	}
	c.end = end
	c.kill = time.AfterFunc(grace, func() { c.signal(syscall.SIGKILL) })
}

// Kill ends the container at once, and returns when it is gone.
func (c *Container) Kill() {
	c.signal(syscall.SIGKILL)
	<-c.done
}

func (c *Container) signal(number syscall.Signal) {
	_ = c.cmd.Process.Signal(number) // an error means that it has ended already
}

// failure is the file descriptor at which a container that can't be started says why.
const failure = 3

// startError is the exit status of a container that can't be started, as containerd reports it.
const startError = 128

// Become makes the calling process the program of a container in the sandbox of a process. It is already the first
// process of its own. It reads the ContainerSpec from stdin, and returns only if that fails.
func Become(pid int, stdin io.Reader) (status int) {
	unix.CloseOnExec(failure)
	report := os.NewFile(failure, "failure")
	err := become(pid, stdin)
	if _, err := report.WriteString(err.Error()); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return startError
}

// become returns only on an error.
func become(pid int, stdin io.Reader) error {
	var spec ContainerSpec
	if err := json.NewDecoder(stdin).Decode(&spec); err != nil {
		return err
	}
	runtime.LockOSThread() // what becomes the program is this thread
	if err := enter(pid, true); err != nil {
		return err
	}
	if err := ownProcesses(); err != nil {
		return err
	}
	if err := os.Chdir(spec.Dir); err != nil {
		return err
	}
	nothing, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	if err := unix.Dup3(int(nothing.Fd()), int(os.Stdin.Fd()), 0); err != nil {
		return err
	}
	program, err := lookPath(spec)
	if err != nil {
		return err
	}
	if err := limit(spec); err != nil {
		return err
	}
	return &os.PathError{Op: "exec", Path: spec.Args[0], Err: syscall.Exec(program, spec.Args, spec.Env)}
}

// ownProcesses makes /proc show the processes of the container only, for the container only.
func ownProcesses() error {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return err
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("the processes of the container: %w", err)
	}
	return nil
}

// lookPath finds the program in the PATH of the container. Its error is like that of a container runtime.
func lookPath(spec ContainerSpec) (string, error) {
	for _, variable := range slices.Backward(spec.Env) {
		if path, found := strings.CutPrefix(variable, "PATH="); found {
			if err := os.Setenv("PATH", path); err != nil {
				return "", err
			}
			break
		}
	}
	return exec.LookPath(spec.Args[0])
}

// limit takes the rights away that the container shall not have, and makes it the process of its user. The system calls
// are the thread's own, because no other thread outlives it.
func limit(spec ContainerSpec) error {
	if spec.NoNewPrivileges {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return err
		}
	}
	for capability := uintptr(0); spec.Bounded && capability <= unix.CAP_LAST_CAP; capability++ {
		// The kernel may not know the last ones yet.
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
			return err
		}
	}
	if err := errors.Join(unix.Setgroups(nil), unix.Setgid(spec.GID), unix.Setuid(spec.UID)); err != nil {
		return fmt.Errorf("user %d, group %d: %w", spec.UID, spec.GID, err)
	}
	return nil
}
