package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/programs"
)

const megabyte = 1e6 // bytes

// BenchmarkStart measures the time from the provider's start until it serves, as for a debugger. The file is in the
// kernel's cache. The goal is 100 ms. MB is the size of the file with a release's flags. Its goal is 45.
func BenchmarkStart(b *testing.B) {
	program, err := os.Stat(provider)
	if err != nil {
		b.Fatal(err)
	}
	serve(b).stop() // which reads the program from the disk
	for round := range *rounds {
		b.Run(fmt.Sprintf("round=%d/by=provider", round+1), func(b *testing.B) {
			began := time.Now()
			serving := serve(b)
			report(b, time.Since(began))
			serving.stop()
			b.ReportMetric(float64(program.Size())/megabyte, "MB")
		})
	}
}

// usage is what one run of Terraform has used, and what the provider has.
type usage struct {
	took                time.Duration
	terraform, provider time.Duration // of the processors' time
	megabytes           float64       // the most that the provider had resident
}

// attached runs Terraform with a provider that was started before. So the provider's process still exists when
// Terraform has ended, and the kernel tells what it has used.
func (t *terraform) attached(b *testing.B, exit int, args ...string) usage {
	b.Helper()
	serving := serve(b)
	defer serving.stop()
	cmd := t.Command(ctx, args...)
	cmd.Env = append(cmd.Env, "TF_REATTACH_PROVIDERS="+serving.attachment)
	_, took := timed(b, exit, cmd)
	process, err := procfs.NewProc(serving.cmd.Process.Pid)
	if err != nil {
		b.Fatal(err)
	}
	stat, err := process.Stat()
	if err != nil {
		b.Fatal(err)
	}
	status, err := process.NewStatus()
	if err != nil {
		b.Fatal(err)
	}
	return usage{
		took: took, terraform: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
		provider: time.Duration(stat.CPUTime() * float64(time.Second)), megabytes: float64(status.VmHWM) / megabyte,
	}
}

// served is a provider that waits for Terraform, as for a debugger.
type served struct {
	cmd        *exec.Cmd
	stdout     io.Reader
	attachment string // how Terraform finds it
}

// serve starts the provider, and returns when it waits for Terraform.
func serve(b *testing.B) *served {
	b.Helper()
	cmd := programs.Command(ctx, provider, "-debug")
	// Otherwise it would log everything, which takes memory and time. The library that serves it does so still.
	cmd.Env = append(os.Environ(),
		"TF_LOG=OFF", "TF_LOG_PROVIDER_LIQO=OFF", "TF_LOG_SDK_PROTO=OFF", "TF_LOG_SDK_FRAMEWORK=OFF")
	cmd.Stderr = nil
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	serving := &served{cmd: cmd, stdout: stdout}
	if serving.attachment, err = readAttachment(stdout); err != nil {
		serving.stop()
		b.Fatal(err)
	}
	return serving
}

func (s *served) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGINT) // an error means that it is gone already
	_, _ = io.Copy(io.Discard, s.stdout)
	_ = s.cmd.Wait() // it was told to end
}

// attachment is the provider's output when it waits for a debugger.
var attachment = regexp.MustCompile(`TF_REATTACH_PROVIDERS='(.*)'`)

// readAttachment returns how Terraform finds the provider. The provider's address has a host, which is different for
// OpenTofu. So the host is omitted, and both programs add their own.
func readAttachment(stdout io.Reader) (string, error) {
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		match := attachment.FindStringSubmatch(lines.Text())
		if match == nil {
			continue
		}
		var providers map[string]json.RawMessage
		if err := json.Unmarshal([]byte(match[1]), &providers); err != nil {
			return "", fmt.Errorf("how to attach to the provider: %w", err)
		}
		short := map[string]json.RawMessage{}
		for address, how := range providers {
			_, name, _ := strings.Cut(address, "/")
			short[name] = how
		}
		text, err := json.Marshal(short)
		return string(text), err
	}
	return "", errors.New("the provider does not tell how to attach to it")
}

func TestTerraformFindsAProviderThatWaitsForIt(t *testing.T) {
	stdout := "Provider started. To attach Terraform CLI, set the TF_REATTACH_PROVIDERS environment variable " +
		"with the following:\n\n" +
		"\tTF_REATTACH_PROVIDERS='{\"registry.terraform.io/leafmesh/liqo\":{\"Protocol\":\"grpc\",\"Pid\":7}}'\n\n"
	got, err := readAttachment(strings.NewReader(stdout))
	if want := `{"leafmesh/liqo":{"Protocol":"grpc","Pid":7}}`; got != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if _, err := readAttachment(strings.NewReader("flag provided but not defined\n")); err == nil {
		t.Error("output without the variable causes no error")
	}
}
