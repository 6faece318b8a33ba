package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// markVariable is an environment variable that identifies every process of a lab and its child
// processes.
const markVariable = "LIQO_LAB"

// Mark makes Marked find every process that this one starts from now on. The mark is the lab's
// folder. Unlike a list of process IDs, it can't match an unrelated process that reuses an ID.
func Mark(mark string) error { return os.Setenv(markVariable, mark) }

// Unmarked returns the environment for a child process that Marked does not find.
func Unmarked() []string {
	return slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, markVariable+"=") })
}

// MarkOnly returns the environment for a process that Marked finds, and that shall have nothing else of this one's.
func MarkOnly() []string { return []string{markVariable + "=" + os.Getenv(markVariable)} }

// Marked returns the processes that have the mark, without the calling one. It reads /proc, so it
// finds nothing on an operating system without it.
func Marked(mark string) []int {
	running, _ := procfs.AllProcs()
	var pids []int
	for _, one := range running {
		environ, err := one.Environ() // it fails for a process that has ended, or that belongs to another user
		if err == nil && one.PID != os.Getpid() && slices.Contains(environ, markVariable+"="+mark) {
			pids = append(pids, one.PID)
		}
	}
	return pids
}

// killGrace is how long a busy machine may take to end what is killed.
const killGrace = time.Minute

// KillMarked kills the processes that have the mark and returns when they are gone. They need no
// clean stop, because the lab's folder is removed anyway.
func KillMarked(mark string) error {
	deadline := time.Now().Add(killGrace)
	for {
		pids := Marked(mark)
		if len(pids) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("processes %v of the lab in %s do not end", pids, mark)
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL) // an error means that it is gone already
		}
		time.Sleep(10 * time.Millisecond) // there is no event for the end of a process that is not a child
	}
}

// timerSlack is how late, in nanoseconds, a timer of a lab's program may be, so that many of them end with one
// interrupt: Go's runtime looks every 20 µs at a program that works, in each program.
const timerSlack = "5000000"

// Batch lets the kernel run this process, and all that it starts from now on, as a batch. So many programs for so few
// cores would interrupt each other all the time. As a batch, each of them works until it has to wait. Where the kernel
// does not allow it, the process stays as it was.
func Batch() error {
	known := map[int]bool{}
	for {
		threads, err := procfs.AllThreads(os.Getpid())
		if err != nil {
			return err
		}
		before := len(known)
		for _, thread := range threads { // a thread begins as the one that starts it
			if known[thread.PID] {
				continue
			}
			known[thread.PID] = true
			if err := batch(thread.PID); err != nil {
				return err
			}
		}
		if len(known) == before {
			return nil
		}
	}
}

func batch(thread int) error {
	err := unix.SchedSetAttr(thread, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH}, 0)
	if err == nil {
		err = os.WriteFile(fmt.Sprintf("/proc/%d/timerslack_ns", thread), []byte(timerSlack), 0)
	}
	if errors.Is(err, unix.ESRCH) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
