package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

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
