package process

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func shell(t *testing.T, script string) Spec {
	t.Helper()
	return Spec{
		Name: "script", Path: "/bin/sh", Args: []string{"-c", script}, Log: filepath.Join(t.TempDir(), "script.log"),
	}
}

func TestAFailureShowsTheEndOfTheLog(t *testing.T) {
	p, err := Start(shell(t, "for i in $(seq 1 30); do echo line $i; done; exit 3"))
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	got := p.Failure().Error()
	if !strings.Contains(got, "script: exit status 3") || !strings.Contains(got, "line 30") ||
		strings.Contains(got, "line 1\n") {
		t.Errorf("got %s", got)
	}
}

func TestAKeptProcessIsStartedAgainAndStopEndsItForGood(t *testing.T) {
	spec := shell(t, "")
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := exec.Command("mkfifo", fifo).Run(); err != nil {
		t.Skip("no mkfifo:", err)
	}
	spec.Args = []string{"-c", "echo started > " + fifo}
	p, err := Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	p.Keep()
	for range 3 { // what each run of the process writes; it ends after that
		if line, err := os.ReadFile(fifo); string(line) != "started\n" || err != nil {
			t.Fatalf("read %q, %v", line, err)
		}
	}
	p.Stop(t.Context())
	<-p.Done()
	if p.Restarts() < 2 {
		t.Errorf("it was started again %d times", p.Restarts())
	}
}

func TestWhatAProcessHasStartedEndsWithIt(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := exec.Command("mkfifo", fifo).Run(); err != nil {
		t.Fatal(err)
	}
	// The child inherits the fifo, which ends for its reader when the child does.
	p, err := Start(shell(t, "exec 3> "+fifo+"; sleep 600 & exit"))
	if err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(fifo)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	<-p.Done()
	if err := reader.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(reader); err != nil {
		t.Errorf("the child still runs: %v", err)
	}
}

func TestAProcessThatIgnoresSIGTERMIsKilledWhenTheContextEnds(t *testing.T) {
	p, err := Start(shell(t, `trap "" TERM; while :; do sleep 60; done`))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	p.Stop(ctx)
	select {
	case <-p.Done():
	default:
		t.Error("it runs on")
	}
}

func TestMarkedProcessesAreFoundAndKilledAndOthersAreNot(t *testing.T) {
	mark := t.TempDir()
	marked, other := exec.Command("sleep", "60"), exec.Command("sleep", "60")
	marked.Env = []string{markVariable + "=" + mark}
	other.Env = []string{markVariable + "=" + mark + "/other"}
	for _, cmd := range []*exec.Cmd{marked, other} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- marked.Wait() }()
	if err := KillMarked(mark); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("the marked process was not killed")
	}
	if got := Marked(mark + "/other"); len(got) != 1 || got[0] != other.Process.Pid {
		t.Errorf("the other process is %d, found %v", other.Process.Pid, got)
	}
	if err := other.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = other.Wait()
}
