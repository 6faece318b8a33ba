// Package bench has the benchmarks of the provider. The real Terraform runs it, beside liqoctl on the same clusters of
// a lab. An operation takes seconds and is measured once a round, so `ns/op` is the time of one. The benchmarks'
// comments say what each measures and what its goal is. `make bench` builds all programs and runs them.
package bench

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/programs"
)

var (
	rounds = flag.Int("rounds", 5, "how often to measure each operation")

	// ctx ends at Ctrl-C. Then Terraform ends before the clusters that it uses.
	ctx, stop = programs.Interruptible()
	// The paths of the programs that take part.
	lab, provider, cli, liqoctl string
)

func TestMain(m *testing.M) {
	if err := flag.Set("test.benchtime", "1x"); err != nil {
		panic(err)
	}
	flag.Parse()
	ctrl.SetLogger(klog.NewKlogr()) // without one, controller-runtime complains with a stack trace
	if flag.Lookup("test.bench").Value.String() != "" {
		if err := prepare(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	m.Run()
	stop()
}

// prepare finds the programs, or has them built, and prints all versions as lines of Go's benchmark format.
func prepare() (err error) {
	bin, err := filepath.Abs("../../../bin")
	if err != nil {
		return err
	}
	lab, provider = filepath.Join(bin, "liqo-lab"), filepath.Join(bin, "release", "terraform-provider-liqo")
	if cli, err = programs.FindCLI(ctx, os.Stderr, lab); err != nil {
		return err
	}
	if liqoctl, err = firstLine(lab, "build", "--liqoctl"); err != nil {
		return err
	}
	providerVersion, err := firstLine(provider, "-version")
	if err != nil {
		return err
	}
	cliVersion, err := firstLine(cli, "version")
	if err != nil {
		return err
	}
	liqo, err := binaries.DefaultLiqo()
	if err != nil {
		return err
	}
	kubernetes, err := binaries.DefaultKubernetes()
	if err != nil {
		return err
	}
	kernel, err := procfs.NewDefaultFS()
	if err != nil {
		return err
	}
	memory, err := kernel.Meminfo()
	if err != nil {
		return err
	}
	fmt.Printf("date: %s\ncores: %d\nmemory: %.0f GiB\nprovider: %s\ncli: %s\nliqo: %s\nkubernetes: %s\ngo: %s\n",
		time.Now().UTC().Format("2 January 2006"), runtime.NumCPU(), float64(*memory.MemTotalBytes)/(1<<30),
		providerVersion, cliVersion, liqo.Version, kubernetes, runtime.Version())
	return nil
}

// firstLine returns the first line that a program prints. Terraform prints nothing of newer versions of itself.
func firstLine(program string, args ...string) (string, error) {
	cmd := programs.Command(ctx, program, args...)
	cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+os.DevNull, "CHECKPOINT_DISABLE=1")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", program, strings.Join(args, " "), err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line, nil
}

// contest lets the provider and liqoctl take turns, after a warm-up that does not count. Every second round has the
// reverse order, so that neither always has fresh clusters.
func contest(b *testing.B, byProvider, byLiqoctl func(*testing.B)) {
	b.Helper()
	turns := []struct {
		by string
		do func(*testing.B)
	}{{"provider", byProvider}, {"liqoctl", byLiqoctl}}
	for _, turn := range turns {
		turn.do(b)
	}
	for round := range *rounds {
		for i := range turns {
			turn := turns[(round+i)%len(turns)]
			if !b.Run(fmt.Sprintf("round=%d/by=%s", round+1, turn.by), turn.do) {
				b.FailNow()
			}
		}
	}
}

// report reports how long an operation took, in place of the time of the benchmark's function.
func report(b *testing.B, took time.Duration) {
	b.Helper()
	b.ReportMetric(float64(took.Nanoseconds()), "ns/op")
}

// timed runs a program, which has to end with an exit code, and returns its output and its duration.
func timed(b *testing.B, exit int, cmd *exec.Cmd) ([]byte, time.Duration) {
	b.Helper()
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != exit {
		b.Fatal(programs.Outcome(ctx,
			fmt.Errorf("%s, which has to end with exit code %d: %w\n%s", cmd, exit, err, output.Bytes())))
	}
	return output.Bytes(), took
}
