package cluster_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// holderProcess is the environment variable that lets the test program hold a lease until it is killed.
const holderProcess = "HOLD_A_LEASE_OF_CLUSTERTEST"

func TestMain(m *testing.M) {
	if os.Getenv(holderProcess) == "" {
		os.Exit(m.Run())
	}
	leaf := clustertest.Leaf(&testing.T{}, "rome")
	if _, err := leaf.Hold(cluster.WithFence(context.Background()), claim("another")); err != nil {
		panic(err)
	}
	lease, err := leaf.Leased(context.Background(), "pair")
	if err != nil {
		panic(err)
	}
	fmt.Println(*lease.Spec.HolderIdentity)
	select {}
}

// expiry is the time after which a lease is that of a dead holder.
const expiry = 10 * time.Second

// startHolder starts a process that holds a lease. It returns the name of the holder.
func startHolder(t *testing.T) (process *exec.Cmd, holder string) {
	t.Helper()
	process = exec.CommandContext(t.Context(), os.Args[0])
	process.Env = append(os.Environ(), holderProcess+"=1")
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	process.Stderr = os.Stderr
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	if !lines.Scan() {
		t.Fatal("the holder says nothing")
	}
	t.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
		_ = os.Remove(cluster.LifelinePath(lines.Text()))
	})
	return process, lines.Text()
}

// memory returns a folder in the memory of this machine.
func memory(t *testing.T) string {
	t.Helper()
	return folderIn(t, "/dev/shm")
}

// folderIn returns a folder in another one, because that for temporary files is in memory on some machines only.
func folderIn(t *testing.T, parent string) string {
	t.Helper()
	folder, err := os.MkdirTemp(parent, "test") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}

// copied copies what a holder has in the memory of this machine to another folder.
func copied(t *testing.T, holder, folder string) string {
	t.Helper()
	file := cluster.LifelinePath(holder)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, filepath.Base(file)), content, 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestOnlyTheLeaseOfAProcessThatHasCertainlyEndedIsTakenAtOnce(t *testing.T) {
	kill := func(t *testing.T, process *exec.Cmd) {
		t.Helper()
		if err := process.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = process.Wait()
	}
	for name, test := range map[string]struct {
		happens func(t *testing.T, process *exec.Cmd, holder string) (memory string)
		waits   time.Duration
	}{
		"it was killed": {func(t *testing.T, process *exec.Cmd, _ string) string {
			t.Helper()
			kill(t, process)
			return "/dev/shm"
		}, 0},
		"it works": {func(*testing.T, *exec.Cmd, string) string { return "/dev/shm" }, expiry},
		"it is stopped": {func(t *testing.T, process *exec.Cmd, _ string) string {
			t.Helper()
			if err := process.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			return "/dev/shm"
		}, expiry},
		"it was killed on another machine or in a container": {func(t *testing.T, process *exec.Cmd, _ string) string {
			t.Helper()
			kill(t, process)
			return memory(t)
		}, expiry},
		"its files are a copy on a disk": {func(t *testing.T, _ *exec.Cmd, holder string) string {
			t.Helper()
			return copied(t, holder, folderIn(t, "."))
		}, expiry},
		"it was killed while it began": {func(t *testing.T, process *exec.Cmd, holder string) string {
			t.Helper()
			kill(t, process)
			if err := os.Truncate(cluster.LifelinePath(holder), 0); err != nil {
				t.Fatal(err)
			}
			return "/dev/shm"
		}, expiry},
	} {
		t.Run(name, func(t *testing.T) {
			process, holder := startHolder(t)
			folder := test.happens(t, process, holder)
			synctest.Test(t, func(t *testing.T) {
				leaf := clustertest.Leaf(t, "rome", heldBy(holder, time.Now()))
				cluster.SetMemory(leaf, folder)
				isHeldAfter(t, leaf, test.waits)
			})
			if _, err := os.Stat(cluster.LifelinePath(holder)); err == nil && folder == "/dev/shm" {
				t.Error("the file is still there")
			}
		})
	}
}

func TestNobodyElseCanSayThatAHolderHasEnded(t *testing.T) {
	_, holder := startHolder(t)
	forgeries := map[string]func(file string) error{
		"a link": func(file string) error { return errors.Join(os.Rename(file, file+".of"), os.Symlink(file+".of", file)) },
	}
	if os.Geteuid() == 0 { // others can't read another user's file
		forgeries["another user"] = func(file string) error { return os.Chown(file, 65534, 65534) }
	}
	for name, forge := range forgeries {
		folder := copied(t, holder, memory(t))
		if err := forge(filepath.Join(folder, filepath.Base(cluster.LifelinePath(holder)))); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		synctest.Test(t, func(t *testing.T) {
			t.Log(name)
			leaf := clustertest.Leaf(t, "rome", heldBy(holder, time.Now()))
			cluster.SetMemory(leaf, folder)
			isHeldAfter(t, leaf, expiry)
		})
	}
}

func TestALeaseIsNotTakenAtOnceIfAWriteOfItsHolderMayStillArrive(t *testing.T) {
	for name, test := range map[string]struct {
		happens func(g *guarded)
		waits   time.Duration
	}{
		"it was answered":      {func(*guarded) {}, 0},
		"it was refused":       {func(g *guarded) { g.status.Store(http.StatusConflict) }, 0},
		"it is under way":      {func(g *guarded) { g.stuck.Store(true) }, expiry},
		"it had no answer":     {func(g *guarded) { g.refuses.Store(true) }, expiry},
		"a proxy has answered": {func(g *guarded) { g.status.Store(http.StatusBadGateway) }, expiry},
	} {
		synctest.Test(t, func(t *testing.T) {
			t.Log(name)
			g := newGuarded(t)
			test.happens(g)
			ctx, cancel := context.WithCancel(g.ctx)
			go func() { _ = g.send(ctx, http.MethodPatch, "https://milan") }()
			synctest.Wait()
			held, err := g.leaf.Leased(t.Context(), "pair")
			if err != nil {
				t.Fatal(err)
			}
			leaf := clustertest.Leaf(t, "rome", heldBy(*held.Spec.HolderIdentity, time.Now()))
			left := copied(t, *held.Spec.HolderIdentity, memory(t)) // if the process is killed now
			cancel()
			cluster.SetMemory(leaf, left)
			isHeldAfter(t, leaf, test.waits)
		})
	}
}

func TestNothingIsLeftOfALifelineAfterTheReleaseOfTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leaf, folder := clustertest.Leaf(t, "rome"), memory(t)
		cluster.SetMemory(leaf, folder)
		lease, err := leaf.Hold(cluster.WithFence(t.Context()), claim("mine"))
		if err != nil {
			t.Fatal(err)
		}
		if files, err := os.ReadDir(folder); len(files) != 1 || err != nil {
			t.Errorf("meanwhile, there are %v (%v)", files, err)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		if files, err := os.ReadDir(folder); len(files) != 0 || err != nil {
			t.Errorf("left are %v (%v)", files, err)
		}
	})
}
