package acctest

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

// Programs that the tests run in addition to Terraform.
var (
	LabProgram     = filepath.Join(Root, "bin", "liqo-lab")
	PodProgram     = filepath.Join(Root, "bin", "liqo-pod") // what a lab runs in its pods
	LiqoctlProgram string

	// ProviderProgram is the provider. As in a release, it has no symbols: each command of Terraform reads all of it, to
	// compare its hash with that of the lock file.
	ProviderProgram = filepath.Join(Root, "bin", "stripped", "terraform-provider-liqo")
)

// Root is the folder of the repository. All packages with tests on clusters are at the same depth.
var Root, _ = filepath.Abs(filepath.Join("..", "..", "..", "..")) // fails only if the folder of the test is gone

// enabled is the environment variable that requests tests on clusters, as for any Terraform provider.
const enabled = "TF_ACC"

// Main runs the tests of a package, if they were requested, and ends the process. A lab starts when a test needs it,
// and these functions prepare it. At a signal, it stops the lab first.
func Main(m *testing.M, prepare ...func(*Lab) error) {
	preparations = prepare
	ctrllog.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	flag.Parse()
	if os.Getenv(enabled) == "" {
		if !testing.Verbose() {
			// Then go test reports "[no tests to run]" for this package instead of "ok". With -v each test reports why it is
			// skipped.
			_ = flag.Set("test.run", "^$")
		}
		os.Exit(m.Run())
	}
	if err := errors.Join(useScratch(), setEnvironment(), buildPrograms()); err != nil {
		log.Fatal(err)
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		<-signals
		stopLab()
		os.Exit(1)
	}()
	code := m.Run()
	stopLab()
	_ = janitor.Close() // it is a pipe
	os.Exit(code)
}

// Scratch is the folder of this run, for all that the tests and the programs that they start write. Its janitor's stdin
// stays open as long as this process lives.
var (
	Scratch string
	janitor io.Closer
)

// useScratch makes a new folder the one for temporary files. When this process is gone, even by a SIGKILL, the stdin of
// a shell ends. It lets the labs in the folder end, and removes the folder. What still runs may write into it for some
// seconds, so the shell tries again.
func useScratch() (err error) {
	if Scratch, err = os.MkdirTemp("", "liqo-acc-"); err != nil {
		return err
	}
	const script = `cat
		for lab in "$1"/lab*/lab; do [ ! -e "$lab" ] || "$2" down --dir "$lab"; done
		n=0; until rm -rf "$1" || [ $((n += 1)) -ge 60 ]; do sleep 1; done`
	shell := exec.Command("sh", "-c", script, "janitor", Scratch, LabProgram)
	shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C is not for it
	if janitor, err = shell.StdinPipe(); err != nil {
		return err
	}
	return errors.Join(shell.Start(), os.Setenv("TMPDIR", Scratch))
}

// gcPercent is the GOGC of these tests and of all programs that they start, which share few cores. Collecting garbage
// less often saves a quarter of the CPU time of Terraform, which runs thousands of times. [thrift] limits the memory of
// the programs that stay.
const gcPercent = 400

// The registries in which the CLIs look for a provider without a host in its address.
const (
	terraformRegistry = "registry.terraform.io"
	openTofuRegistry  = "registry.opentofu.org"
)

// setEnvironment prepares the environment of Terraform and the provider. The settings, kubeconfigs and state of the
// user must not affect the tests.
func setEnvironment() error {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		own := strings.HasPrefix(name, "TF_") && !strings.HasPrefix(name, "TF_ACC") && !strings.HasPrefix(name, "TF_LOG")
		if own || strings.HasPrefix(name, "KUBE") {
			if err := os.Unsetenv(name); err != nil {
				return err
			}
		}
	}
	terraform := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if terraform == "" {
		var err error
		if terraform, err = Output(Root + "/.ci/terraform"); err != nil {
			return err
		}
	}
	host := terraformRegistry
	if filepath.Base(terraform) != "terraform" {
		host = openTofuRegistry
	}
	debug.SetGCPercent(gcPercent)
	var errs []error
	for name, value := range map[string]string{
		"GOGC":                      strconv.Itoa(gcPercent),
		"TF_ACC_TERRAFORM_PATH":     terraform,
		"TF_ACC_PROVIDER_HOST":      cmp.Or(os.Getenv("TF_ACC_PROVIDER_HOST"), host),
		"TF_ACC_PROVIDER_NAMESPACE": "leafmesh", // as in the examples, so that the tests can use them unchanged
		"TF_CLI_CONFIG_FILE":        os.DevNull,
		"KUBECONFIG":                os.DevNull,
	} {
		errs = append(errs, os.Setenv(name, value))
	}
	return errors.Join(errs...)
}

// buildPrograms builds the lab, liqoctl and the provider, unless they are built already. Other packages may want to do
// so at the same time: without a lock, they would replace a program that one of them runs.
func buildPrograms() (err error) {
	bin := filepath.Dir(LabProgram)
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	lock, err := os.OpenFile(LabProgram+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	_, err = Output("go", "-C", Root+"/internal/lab", "build", "-o", bin, "./cmd/liqo-lab", "./cmd/liqo-pod")
	if err != nil {
		return err
	}
	if _, err = Output("go", "build", "-ldflags=-s -w", "-o", ProviderProgram, Root); err != nil {
		return err
	}
	LiqoctlProgram, err = Output(LabProgram, "build", "--liqoctl")
	return err
}

// Output runs a program, which must succeed, and returns its output. Its messages go to stderr.
func Output(program string, args ...string) (string, error) {
	command := exec.Command(program, args...)
	command.Stderr = os.Stderr
	printed, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(command.Args, " "), err)
	}
	return strings.TrimSpace(string(printed)), nil
}
