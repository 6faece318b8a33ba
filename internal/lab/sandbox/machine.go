package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// machinePrograms are what a container has of the machine: its programs, their libraries, and what Debian and others
// need to find both.
var machinePrograms = []string{
	"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/usr", "/etc/alternatives", "/etc/ld.so.cache",
}

// devices are the devices of every container. Links are what programs expect beside them.
var (
	devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}
	links   = map[string]string{
		"/dev/fd": "/proc/self/fd", "/dev/stdin": "/proc/self/fd/0",
		"/dev/stdout": "/proc/self/fd/1", "/dev/stderr": "/proc/self/fd/2",
	}
)

// temporary is the folder for temporary files of a container.
const temporary = "/tmp"

// mountContainer gives a container the programs of the machine, and its own devices and folder for temporary files.
// Everything else that it writes is in memory.
func mountContainer(root string) error {
	for _, name := range machinePrograms {
		if err := mountReadOnly(name, filepath.Join(root, name)); err != nil {
			return err
		}
	}
	for _, name := range devices {
		if err := mount(name, filepath.Join(root, name)); err != nil {
			return err
		}
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			return err
		}
	}
	// The programs see the processes of their container there. Until then, liqo-pod needs the machine's.
	if err := mount("/proc", filepath.Join(root, "proc")); err != nil {
		return err
	}
	if err := mountSys(filepath.Join(root, "sys")); err != nil {
		return err
	}
	folder := filepath.Join(root, temporary)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.Chmod(folder, 0o777|os.ModeSticky)
}

// mountSys makes the devices of the sandbox's network visible, which is the network of this process.
func mountSys(target string) error {
	if err := os.MkdirAll(target, 0o755); err != nil {
		return err
	}
	err := unix.Mount("sysfs", target, "sysfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	if err != nil {
		return fmt.Errorf("the devices of the network: %w", err)
	}
	return nil
}

// mountReadOnly makes a file, a folder or a link also visible at another path, if it exists. It can't be changed there.
func mountReadOnly(source, target string) error {
	info, err := os.Lstat(source)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		leads, err := os.Readlink(source)
		if err != nil {
			return err
		}
		return os.Symlink(leads, target)
	}
	return bindReadOnly(source, target)
}

// bindReadOnly does so with what a link leads to, too, which must exist.
func bindReadOnly(source, target string) error {
	if err := mount(source, target); err != nil {
		return err
	}
	readOnly := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, target, unix.AT_RECURSIVE, readOnly); err != nil {
		return fmt.Errorf("%s, read-only: %w", source, err)
	}
	return nil
}
