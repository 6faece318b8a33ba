// Package labdir manages the folder of a lab: which lab uses it, what it contains, and its removal.
package labdir

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/process"
)

const (
	// marker is a file that identifies a folder as a lab's. A folder without it is never removed.
	marker      = ".liqo-lab"
	controlFile = "control.sock"
	// socketPathMax is the maximum length of a unix socket's path on every system, in bytes.
	socketPathMax = 100
)

// ErrInUse means that a lab runs in the folder.
var ErrInUse = errors.New("a lab is running there")

// ErrNoLab means that no lab runs in the folder.
var ErrNoLab = errors.New("no lab is running there")

// Default returns the default folder.
func Default() (string, error) {
	cache, err := binaries.CacheFolder()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "lab"), nil
}

// Dir is the folder of a lab.
type Dir struct {
	// Path is absolute.
	Path string
	lock *os.File
}

// Create creates a folder for a new lab and locks it, so that no other lab can use it. It first
// removes everything that a killed lab left behind. It returns ErrInUse if a lab runs there, and
// another error if the folder contains anything else.
func Create(path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	if len(entries) > 0 {
		if err := RemoveLeftovers(path); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(path, 0o755); err != nil {
			return nil, err
		}
	}
	lock, err := hold(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	dir := &Dir{Path: path, lock: lock}
	if err := os.WriteFile(dir.file(marker), nil, 0o644); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return dir, nil
}

// hold locks a folder until the returned file is closed. It returns ErrInUse if another process has
// the lock, and fs.ErrNotExist if the folder does not exist.
func hold(path string) (*os.File, error) {
	folder, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := lockOpen(folder, path); err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return folder, nil
}

// lockOpen locks an open folder. The former holder of the lock may have removed the folder after it
// was opened and before it was locked.
func lockOpen(folder *os.File, path string) error {
	if err := syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return ErrInUse
	}
	locked, err := folder.Stat()
	if err != nil {
		return err
	}
	found, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !os.SameFile(locked, found) {
		return ErrInUse
	}
	return nil
}

// RemoveLeftovers ends the processes and removes the folder of a lab that no longer runs, also if somebody has removed
// the folder. It returns ErrInUse if the lab still runs.
func RemoveLeftovers(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	lock, err := hold(path)
	if errors.Is(err, fs.ErrNotExist) {
		return process.KillMarked(path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer lock.Close()
	if _, err := os.Stat(filepath.Join(path, marker)); err != nil {
		return fmt.Errorf("%s is not the folder of a lab: %w", path, err)
	}
	if err := process.KillMarked(path); err != nil {
		return err
	}
	return os.RemoveAll(path)
}

// Remove ends the processes of the lab and removes its folder.
func (d *Dir) Remove() error {
	return errors.Join(process.KillMarked(d.Path), os.RemoveAll(d.Path), d.lock.Close())
}

func (d *Dir) file(elements ...string) string {
	return filepath.Join(append([]string{d.Path}, elements...)...)
}

// Kubeconfig returns the file with a context for each cluster.
func (d *Dir) Kubeconfig() string { return d.file("kubeconfig") }

// Data returns the folder of a cluster.
func (d *Dir) Data(cluster string) string { return d.file("clusters", cluster) }

// Logs returns the folder of the logs of a cluster.
func (d *Dir) Logs(cluster string) string { return d.file("logs", cluster) }

// Log returns the log of the lab itself.
func (d *Dir) Log() string { return d.file("logs", "lab.log") }

// Temporary returns the folder for temporary files of the programs.
func (d *Dir) Temporary() string { return d.file("tmp") }

// Listen opens the socket that controls the lab in a folder.
func (d *Dir) Listen() (net.Listener, error) {
	path, release, err := socket(d.Path)
	if err != nil {
		return nil, err
	}
	defer release()
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if unix, ok := listener.(*net.UnixListener); ok {
		unix.SetUnlinkOnClose(false) // it goes with the folder, and its path may not lead there any more by then
	}
	return listener, nil
}

// Dial connects to the socket of the lab in a folder. It returns ErrNoLab if no lab listens.
func Dial(path string) (net.Conn, error) {
	var conn net.Conn
	address, release, err := socket(path)
	if err == nil {
		defer release()
		conn, err = net.Dial("unix", address)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, ErrNoLab)
	}
	return conn, nil
}

// socket returns a path to the socket in a folder that is short enough. The address of a unix
// socket has 108 bytes, and the folders of tests are often longer.
func socket(folder string) (path string, release func(), err error) {
	if path := filepath.Join(folder, controlFile); len(path) <= socketPathMax {
		return path, func() {}, nil
	}
	open, err := os.Open(folder)
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", open.Fd(), controlFile), func() { open.Close() }, nil
}
