package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// makeRoot gives the process, and those that join it, a file system in memory with the content that
// the Spec lists. It belongs to the mount namespace of the process. The machine's file system stays
// unchanged.
func makeRoot(spec Spec) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("separating mounts: %w", err)
	}
	root := os.TempDir() // any folder will do that nothing is mounted from
	if err := unix.Mount("tmpfs", root, "tmpfs", 0, "mode=755"); err != nil {
		return fmt.Errorf("a file system at %s: %w", root, err)
	}
	// Files and folders come before all mounts. Their paths are a pod's, and must not lead through a mount to the machine.
	err := fill(root, spec)
	if err != nil {
		return err
	}
	if spec.Container {
		err = mountContainer(root)
	} else {
		err = mountSame(root, "/dev", "/proc")
	}
	if err != nil {
		return err
	}
	for _, name := range spec.Shared {
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := bindReadOnly(name, filepath.Join(root, name)); err != nil {
			return err
		}
	}
	for target, source := range spec.Mounts {
		if err := mount(source, filepath.Join(root, target)); err != nil {
			return err
		}
	}
	// The new root covers the old one, which is then detached.
	if err := os.Chdir(root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("changing the root to %s: %w", root, err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return err
	}
	return os.Chdir("/")
}

// mountSame makes files and folders of the machine also visible at the same paths below a folder.
func mountSame(root string, names ...string) error {
	for _, name := range names {
		if err := mount(name, filepath.Join(root, name)); err != nil {
			return err
		}
	}
	return nil
}

// fill creates the files and folders of a sandbox below a folder. No path leads out of it.
func fill(folder string, spec Spec) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range spec.Folders {
		if err := root.MkdirAll(inside(name), 0o755); err != nil {
			return err
		}
	}
	for name, content := range spec.Files {
		if err := write(root, name, content, 0o600); err != nil {
			return err
		}
	}
	for _, name := range spec.Writable {
		if err := write(root, name, nil, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// write creates a file and its folder. It has this mode whatever the umask is.
func write(root *os.Root, name string, content []byte, mode fs.FileMode) error {
	return errors.Join(root.MkdirAll(inside(path.Dir(name)), 0o755), root.WriteFile(inside(name), content, 0o600),
		root.Chmod(inside(name), mode))
}

// inside returns an absolute path as seen from the root. As everywhere, the root's parent is the root.
func inside(name string) string { return "." + path.Clean("/"+name) }

// mount makes a file or a folder also visible at another path.
func mount(source, target string) error {
	info, err := os.Stat(source)
	if err != nil {
		return err
	}
	if info.IsDir() {
		err = os.MkdirAll(target, 0o755)
	} else if err = os.MkdirAll(filepath.Dir(target), 0o755); err == nil {
		err = os.WriteFile(target, nil, 0o600)
	}
	if err != nil {
		return err
	}
	if err := unix.Mount(source, target, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("mounting %s: %w", source, err)
	}
	return nil
}

// machinePrograms are what a container has of the machine: its programs, their libraries, and what Debian and others
// need to find both.
var machinePrograms = []string{
	"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/usr", "/etc/alternatives", "/etc/ld.so.cache",
}

// devices are the devices of every container. Links are what programs expect beside them.
var (
	// Programs see the processes of their container in /proc. Until then, liqo-pod needs the machine's.
	devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/proc"}
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
	if err := mountSame(root, devices...); err != nil {
		return err
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			return err
		}
	}
	// The devices of the network of this process, which is the sandbox's, are visible.
	sys, folder := filepath.Join(root, "sys"), filepath.Join(root, temporary)
	if err := errors.Join(os.MkdirAll(sys, 0o755), os.MkdirAll(folder, 0o755)); err != nil {
		return err
	}
	err := unix.Mount("sysfs", sys, "sysfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	if err != nil {
		return fmt.Errorf("the devices of the network: %w", err)
	}
	return os.Chmod(folder, 0o777|os.ModeSticky)
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
