package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

// fleet is the program that runs the leaves of all tests. It ends with this process, because its stdin does.
var fleet struct {
	mu        sync.Mutex
	questions io.WriteCloser
	answers   *json.Decoder
}

func TestMain(m *testing.M) {
	ctrllog.SetLogger(logr.Discard()) // as in the provider's main
	klog.SetLogger(logr.Discard())
	for _, name := range []string{"TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_PROVIDER"} {
		_ = os.Setenv(name, "OFF") // of a provider to which Terraform attaches; it fails only for invalid names
	}
	code, err := withScratch(func() (int, error) { return withFleet(m.Run) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// withScratch runs the tests with a new folder for temporary files. It removes the folder, also at a signal.
func withScratch(tests func() (int, error)) (int, error) {
	scratch, err := os.MkdirTemp("", "liqo-protocol-")
	if err != nil {
		return 0, err
	}
	if err := os.Setenv("TMPDIR", scratch); err != nil {
		return 0, err
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		<-signals
		_ = os.RemoveAll(scratch)
		os.Exit(1)
	}()
	code, err := tests()
	return code, errors.Join(err, os.RemoveAll(scratch))
}

// withFleet runs the tests while the program runs.
func withFleet(tests func() int) (int, error) {
	program, err := filepath.Abs("../../bin/liqo-lab")
	if err != nil {
		return 0, err
	}
	build := exec.Command("go", "-C", "../lab", "build", "-o", program, "./cmd/liqo-lab")
	if output, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", build, err, output)
	}
	command := exec.Command(program, "fleet")
	command.Stderr = os.Stderr
	answers, err := command.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if fleet.questions, err = command.StdinPipe(); err != nil {
		return 0, err
	}
	if err := command.Start(); err != nil {
		return 0, err
	}
	fleet.answers = json.NewDecoder(answers)
	code := tests()
	return code, errors.Join(fleet.questions.Close(), command.Wait())
}

// started is a leaf as the program describes it, whose names begin in lower case.
type started struct{ Name, Server, CertificateAuthority, Token, ExternalCIDR string }

// start starts leaves, each with the words of `liqo-lab fleet`.
func start(t *testing.T, words []string) []started {
	t.Helper()
	// Go runs these tests again, instead of showing what they said before, if a file of what they read has changed.
	for _, folder := range []string{"../lab/fleet", "../liqo/reactions"} {
		if _, err := os.ReadDir(folder); err != nil {
			t.Fatal(err)
		}
	}
	fleet.mu.Lock()
	defer fleet.mu.Unlock()
	var leaves []started
	if _, err := fmt.Fprintln(fleet.questions, strings.Join(words, " ")); err != nil {
		t.Fatal(err)
	}
	must(t, fleet.answers.Decode(&leaves))
	return leaves
}
