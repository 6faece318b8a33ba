package labdir

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFolderHoldsOneLabAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab")
	first, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(path); !errors.Is(err, ErrInUse) {
		t.Errorf("a second lab in the folder: %v", err)
	}
	if err := RemoveLeftovers(path); !errors.Is(err, ErrInUse) {
		t.Errorf("removing a lab that runs: %v", err)
	}
	if err := first.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}

func TestANewLabTakesTheFolderOfOneThatWasKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab")
	killed, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(killed.Kubeconfig(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	killed.lock.Close() // as the kernel does for a process that ends

	next, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(next.Kubeconfig()); !os.IsNotExist(err) {
		t.Error("it found what the other one left")
	}
	if err := next.Remove(); err != nil {
		t.Error(err)
	}
}

func TestAFolderWithOtherFilesIsLeftAlone(t *testing.T) {
	path := t.TempDir()
	file := filepath.Join(path, "thesis.txt")
	if err := os.WriteFile(file, []byte("years of work"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(path); err == nil || !strings.Contains(err.Error(), "not the folder of a lab") {
		t.Errorf("the error is %v", err)
	}
	if err := RemoveLeftovers(path); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

func TestProcessesOfALabWhoseFolderIsGoneEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab")
	left := exec.Command("sleep", "3600")
	left.Env = []string{"LIQO_LAB=" + path}
	if err := left.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- left.Wait() }() // a process that nobody awaits stays in /proc
	if err := RemoveLeftovers(path); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil || err.Error() != "signal: killed" {
		t.Errorf("it has ended with %v", err)
	}
}

func TestTheSocketWorksInAFolderWithALongPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("long", 40))
	dir, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := dir.Listen()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			_, _ = io.WriteString(conn, "hello")
			conn.Close()
		}
	}()
	conn, err := Dial(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(conn); string(got) != "hello" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if err := errors.Join(conn.Close(), listener.Close(), dir.Remove()); err != nil {
		t.Error(err)
	}
}

func TestAFolderThatItsLabRemovedInTheMeantimeIsGone(t *testing.T) {
	dir, err := Create(filepath.Join(t.TempDir(), "lab"))
	if err != nil {
		t.Fatal(err)
	}
	opened, err := os.Open(dir.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if err := lockOpen(opened, dir.Path); !errors.Is(err, ErrInUse) {
		t.Errorf("the folder of a lab that runs: got %v", err)
	}
	if err := dir.Remove(); err != nil {
		t.Fatal(err)
	}
	if err := lockOpen(opened, dir.Path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there any more: got %v", err)
	}
}
