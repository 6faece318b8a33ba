// Package labdir is the folder of a lab: who uses it, what it holds, and its end.
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
	// marker is a file by which a folder is recognised as a lab's, so that no other is ever removed.
	marker      = ".liqo-lab"
	controlFile = "control.sock"
	// socketPathMax is how long the path of a unix socket may be, in bytes, on every system.
	socketPathMax = 100
)

// ErrInUse says that a lab runs in the folder.
var ErrInUse = errors.New("a lab is running there")

// ErrNoLab says that no lab runs in the folder.
var ErrNoLab = errors.New("no lab is running there")

// Default returns the folder for those who do not choose one.
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

// Create makes a folder for a new lab and holds it, so that no other lab can use it. What a lab left behind that was
// killed is removed before. It returns ErrInUse if a lab runs there, and another error if the folder holds anything else.
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

// hold locks a folder until the returned file is closed. It returns ErrInUse if somebody else holds it, and fs.ErrNotExist if there is none.
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

// lockOpen locks a folder that is open. Whoever held the lock before may have removed the folder between its opening and its locking.
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

// RemoveLeftovers ends the processes and removes the folder of a lab that does not run any more. It does nothing if the
// folder does not exist, and returns ErrInUse if the lab does run.
func RemoveLeftovers(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	lock, err := hold(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
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

// Kubeconfig is the file with a context for each cluster.
func (d *Dir) Kubeconfig() string { return d.file("kubeconfig") }

// Data is the folder of a cluster.
func (d *Dir) Data(cluster string) string { return d.file("clusters", cluster) }

// Logs is the folder of the logs of a cluster.
func (d *Dir) Logs(cluster string) string { return d.file("logs", cluster) }

// Log is the log of the lab itself.
func (d *Dir) Log() string { return d.file("logs", "lab.log") }

// Temporary is where programs put their temporary files.
func (d *Dir) Temporary() string { return d.file("tmp") }

// Listen opens the socket through which the lab in a folder is controlled.
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

// Dial connects to the socket of the lab in a folder. It returns ErrNoLab if nobody listens.
func Dial(path string) (net.Conn, error) {
	address, release, err := socket(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, ErrNoLab)
	}
	defer release()
	conn, err := net.Dial("unix", address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, ErrNoLab)
	}
	return conn, nil
}

// socket returns a path to the socket in a folder that is short enough: an address of a unix socket has 108 bytes, and
// folders of tests are often longer.
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
