package acceptance

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

// Programs that the tests run in addition to Terraform.
var labProgram, liqoctlProgram string

// scratch is the folder of this run, for the labs and the programs built for the tests.
var scratch string

func TestMain(m *testing.M) {
	ctrllog.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	flag.Parse()
	if os.Getenv(resource.EnvTfAcc) != "" {
		os.Exit(runOnClusters(m))
	}
	if !testing.Verbose() {
		// Then go test reports "[no tests to run]" for this package instead of "ok". With -v each test reports why it is
		// skipped.
		_ = flag.Set("test.run", "^$")
	}
	os.Exit(m.Run())
}

// runOnClusters builds everything that the tests need, and runs them. The labs start when a test needs them.
func runOnClusters(m *testing.M) int {
	if flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.timeout").Value.String() == "10m0s" {
		log.Print("All of these tests take longer than go test allows by default: run `make testacc`, or add `-timeout 60m`.")
		return 1
	}
	var err error
	if scratch, err = os.MkdirTemp("", "liqo-acc-"); err != nil {
		log.Print(err)
		return 1
	}
	defer os.RemoveAll(scratch)
	if err := errors.Join(limitLabs(), setEnvironment(), buildPrograms()); err != nil {
		log.Print(err)
		return 1
	}
	defer labs.stop()
	defer showOutages()
	defer tallies.show()
	return m.Run()
}

// limitLabs sets the number of labs at a time: -parallel, or else [sideBySide]. Package testing then starts all
// parallel tests at once, and they wait for a lab.
func limitLabs() error {
	labs.size = sideBySide()
	var err error
	flag.Visit(func(given *flag.Flag) {
		if given.Name == "test.parallel" {
			labs.size, err = strconv.Atoi(given.Value.String())
		}
	})
	return errors.Join(err, flag.Set("test.parallel", strconv.Itoa(math.MaxInt32)))
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
		if terraform, err = output("../../.ci/terraform"); err != nil {
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

// buildPrograms builds the lab and liqoctl, unless they are built already.
func buildPrograms() (err error) {
	if labProgram, err = filepath.Abs("../../bin/liqo-lab"); err != nil {
		return err
	}
	if _, err = output("go", "-C", "../lab", "build", "-o", labProgram, "./cmd/liqo-lab"); err != nil {
		return err
	}
	liqoctlProgram, err = output(labProgram, "build", "--liqoctl")
	return err
}

// output runs a program, which must succeed, and returns its output. Its messages go to stderr.
func output(program string, args ...string) (string, error) {
	command := exec.Command(program, args...)
	command.Stderr = os.Stderr
	printed, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(command.Args, " "), err)
	}
	return strings.TrimSpace(string(printed)), nil
}
