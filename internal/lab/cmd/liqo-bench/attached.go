package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/procfs"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/programs"
)

// usage is what one run of Terraform has used, and what the provider has.
type usage struct {
	took                time.Duration
	terraform, provider time.Duration // of the processors' time
	megabytes           float64       // the most that the provider had resident
	changes             bool          // a plan with -detailed-exitcode has changes
}

// changes is the exit code of a plan that has some, with -detailed-exitcode.
const changes = 2

// megabyte is 10⁶ bytes.
const megabyte = 1e6

// attached runs Terraform with a provider that was started before. So the provider's process still exists when
// Terraform has ended, and it can be seen what it has used.
func (b *bench) attached(ctx context.Context, terraform *exec.Cmd) (used usage, err error) {
	provider, err := b.serveProvider(ctx)
	if err != nil {
		return usage{}, err
	}
	defer provider.stop()
	terraform.Env = append(terraform.Env, "TF_REATTACH_PROVIDERS="+provider.attachment)
	_, used.took, err = timed(terraform)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == changes {
		used.changes, err = true, nil
	}
	if err != nil {
		return usage{}, err
	}
	used.terraform = terraform.ProcessState.UserTime() + terraform.ProcessState.SystemTime()
	err = used.read(provider.cmd.Process.Pid)
	return used, err
}

// read reads what the kernel knows of the provider.
func (u *usage) read(pid int) error {
	process, err := procfs.NewProc(pid)
	if err != nil {
		return err
	}
	stat, err := process.Stat()
	if err != nil {
		return err
	}
	status, err := process.NewStatus()
	if err != nil {
		return err
	}
	u.provider = time.Duration(stat.CPUTime() * float64(time.Second))
	u.megabytes = float64(status.VmHWM) / megabyte
	return nil
}

// served is a provider that waits for Terraform, as for a debugger.
type served struct {
	cmd        *exec.Cmd
	stdout     io.Reader
	attachment string // how Terraform finds it
}

// serveProvider starts the provider, and returns when it waits for Terraform.
func (b *bench) serveProvider(ctx context.Context) (*served, error) {
	cmd := programs.Command(ctx, b.provider, "-debug")
	// Otherwise it would log everything, which takes memory and time. The library that serves it does so still.
	cmd.Env = append(os.Environ(),
		"TF_LOG=OFF", "TF_LOG_PROVIDER_LIQO=OFF", "TF_LOG_SDK_PROTO=OFF", "TF_LOG_SDK_FRAMEWORK=OFF")
	cmd.Stderr = nil
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	provider := &served{cmd: cmd, stdout: stdout}
	if provider.attachment, err = readAttachment(stdout); err != nil {
		provider.stop()
	}
	return provider, err
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
