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
	if err := fill(root, spec); err != nil {
		return err
	}
	machine := mountMachine
	if spec.Container {
		machine = mountContainer
	}
	if err := machine(root); err != nil {
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

// mountMachine makes the devices and processes of the machine visible.
func mountMachine(root string) error {
	for _, device := range []string{"/dev", "/proc"} {
		if err := mount(device, filepath.Join(root, device)); err != nil {
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
		if err := root.MkdirAll(inside(path.Dir(name)), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(inside(name), content, 0o600); err != nil {
			return err
		}
	}
	for _, name := range spec.Writable {
		if err := root.MkdirAll(inside(path.Dir(name)), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(inside(name), nil, 0o600); err != nil {
			return err
		}
		if err := root.Chmod(inside(name), 0o666); err != nil { // whatever the umask is
			return err
		}
	}
	return nil
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
