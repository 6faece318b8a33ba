package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The fake lab and the fake Terraform. They log their calls. Environment variables of the test
// control what they do.
const (
	fakeLab = `#!/bin/sh
echo "lab $1" >>"$LOG"
case $1 in
up)
	mkdir -p "$3"
	printf '%s%s\n' '{"dir":"'"$3"'","kubeconfig":"/merged.yaml","dataPlane":"'"${PLANE:-real}"'",' \
		'"clusters":[{"name":"rome"},{"name":"milan"}]}'
	cat >/dev/null
	echo "lab stopped" >>"$LOG" ;;
run) echo 10.203.1.10 ;;
ping)
	if [ -n "$ANSWERS" ]; then
		echo '{"sent":3,"received":3}'
	else
		echo '{"sent":3,"received":0}'
		exit 1
	fi ;;
inventory)
	echo "rome namespaces liqo"
	grep -q "terraform destroy" "$LOG" && printf '%s' "$LEFT" ;;
esac
exit 0
`
	fakeTerraform = `#!/bin/sh
echo "terraform $1${TF_VAR_test_packets:+ tests}" | sed 's/\(plan\|destroy\) tests/\1/' >>"$LOG"
case $1 in
plan)  exit "${PLAN_EXIT:-0}" ;;
apply) [ "$TF_VAR_kubeconfig" = /merged.yaml ] && [ -f main.tf ] || exit 9
       [ -z "$HANG" ] || {
           trap 'echo "terraform interrupted" >>"$LOG"; exit 1' INT
           echo >"$HANG"
           while :; do read -r _ <"$NEVER"; done
       } ;;
esac
`
	fakeGo = "#!/bin/sh\nexit 0\n"
)

// newFake returns a demo that runs fake programs, what it prints, and the log of the programs'
// calls.
func newFake(t *testing.T) (d *demo, narrated *bytes.Buffer, log func() string) {
	t.Helper()
	repo := t.TempDir()
	programs := filepath.Join(repo, "programs")
	for name, script := range map[string]string{"liqo-lab": fakeLab, "terraform": fakeTerraform, "go": fakeGo} {
		write(t, filepath.Join(programs, name), script, 0o755)
	}
	write(t, filepath.Join(repo, "examples", "demo", "main.tf"), "", 0o600)
	logFile := filepath.Join(repo, "log")
	t.Setenv("LOG", logFile)
	t.Setenv("PATH", programs+":"+os.Getenv("PATH"))
	t.Setenv("TMPDIR", t.TempDir())

	d, err := newDemo(repo, "programs/liqo-lab")
	if err != nil {
		t.Fatal(err)
	}
	narrated = &bytes.Buffer{}
	d.out = newNarrator(narrated)
	return d, narrated, func() string {
		content, err := os.ReadFile(logFile)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
}

// runAndClose returns the error of a demo that can be closed after it.
func runAndClose(ctx context.Context, t *testing.T, d *demo) error {
	t.Helper()
	err := d.run(ctx)
	if closed := d.close(); closed != nil {
		t.Error(closed)
	}
	return err
}

func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

func TestDemoHoldsWhenNothingIsLeft(t *testing.T) {
	d, narrated, log := newFake(t)
	if err := d.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(d.dir); !os.IsNotExist(err) {
		t.Errorf("the temporary folder is still there: %v", err)
	}
	want := "lab up\nlab run\nlab run\nlab ping\nlab inventory\nterraform apply\nterraform apply tests\nlab get\n" +
		"terraform plan\nterraform destroy\nlab ping\nlab inventory\nlab stopped\n"
	if got := log(); got != want {
		t.Errorf("calls:\n%s\nwant:\n%s", got, want)
	}
	if !strings.Contains(narrated.String(), "nothing is left") {
		t.Errorf("the demo does not say that nothing is left:\n%s", narrated)
	}
}

func TestDemoFailsAndShowsWhatIsLeft(t *testing.T) {
	d, narrated, _ := newFake(t)
	t.Setenv("LEFT", "rome secrets liqo/key\n")
	err := runAndClose(t.Context(), t, d)
	if err == nil || !strings.Contains(err.Error(), "1 objects more and 0 fewer") {
		t.Errorf("error is %v", err)
	}
	if !strings.Contains(narrated.String(), "+ rome secrets liqo/key") {
		t.Errorf("the demo does not show what is left:\n%s", narrated)
	}
}

func TestDemoFailsWhenThePlanIsNotEmpty(t *testing.T) {
	d, _, log := newFake(t)
	t.Setenv("PLAN_EXIT", "2")
	err := runAndClose(t.Context(), t, d)
	if err == nil || !strings.Contains(err.Error(), "the plan is not empty") {
		t.Errorf("error is %v", err)
	}
	if !strings.HasSuffix(log(), "terraform plan\nlab stopped\n") {
		t.Errorf("calls:\n%s", log())
	}
}

func TestDemoFailsWhenPingsAreAnsweredWithoutAShortcut(t *testing.T) {
	d, _, log := newFake(t)
	t.Setenv("ANSWERS", "all")
	err := runAndClose(t.Context(), t, d)
	if err == nil || !strings.Contains(err.Error(), "3 pings are answered") ||
		!strings.HasSuffix(log(), "lab ping\nlab stopped\n") {
		t.Errorf("error is %v after\n%s", err, log())
	}
}

func TestDemoWithoutPacketsSaysWhatItLeavesOut(t *testing.T) {
	d, narrated, log := newFake(t)
	t.Setenv("PLANE", "simulated")
	err := runAndClose(t.Context(), t, d)
	leftOut := strings.Contains(narrated.String(), "left out: the data plane is simulated here")
	if err != nil || strings.Contains(log(), "ping") || !leftOut {
		t.Errorf("error is %v after\n%s\n%s", err, log(), narrated)
	}
}

func TestInterruptedDemoEndsTerraformBeforeTheClusters(t *testing.T) {
	d, _, log := newFake(t)
	applying, never := fifo(t), fifo(t)
	t.Setenv("HANG", applying)
	t.Setenv("NEVER", never)
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		_, _ = os.ReadFile(applying) // returns when apply has begun
		interrupt()
	}()
	err := runAndClose(ctx, t, d)
	if err == nil {
		t.Error("an interrupted demo reports success")
	}
	if !strings.HasSuffix(log(), "terraform apply\nterraform interrupted\nlab stopped\n") {
		t.Errorf("calls:\n%s", log())
	}
	if _, err := os.Stat(d.dir); !os.IsNotExist(err) {
		t.Errorf("the temporary folder is still there: %v", err)
	}
}

// fifo returns the path of a new named pipe. A reader waits until there is a writer.
func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
