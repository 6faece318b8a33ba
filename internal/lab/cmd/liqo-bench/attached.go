package main

import (
	"bufio"
	"bytes"
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
	goroutines          int           // of the provider at the end
	changes             bool          // a plan with -detailed-exitcode has changes
}

// changes is the exit code of a plan that has some, with -detailed-exitcode.
const changes = 2

// attached runs Terraform with a provider that was started before, as for a debugger. So the provider's process still
// exists when Terraform has ended, and it can be seen what it has used.
func (b *bench) attached(ctx context.Context, terraform *exec.Cmd) (used usage, err error) {
	provider := programs.Command(ctx, b.provider, "-debug")
	// Otherwise it would log everything, which takes memory and time.
	provider.Env = append(os.Environ(),
		"TF_LOG=OFF", "TF_LOG_PROVIDER=OFF", "TF_LOG_SDK_PROTO=OFF", "TF_LOG_SDK_FRAMEWORK=OFF")
	var stacks bytes.Buffer
	provider.Stderr = &stacks
	stdout, err := provider.StdoutPipe()
	if err != nil {
		return usage{}, err
	}
	if err := provider.Start(); err != nil {
		return usage{}, err
	}
	ended := false
	end := func(signal os.Signal) {
		if !ended {
			ended = true
			_ = provider.Process.Signal(signal) // an error means that it is gone already
			_, _ = io.Copy(io.Discard, stdout)
			_ = provider.Wait() // it was told to end
		}
	}
	defer end(syscall.SIGINT)
	attach, err := readAttachment(stdout)
	if err != nil {
		return usage{}, err
	}
	terraform.Env = append(terraform.Env, "TF_REATTACH_PROVIDERS="+attach)
	_, used.took, err = timed(terraform)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == changes {
		used.changes, err = true, nil
	}
	if err != nil {
		return usage{}, err
	}
	used.terraform = terraform.ProcessState.UserTime() + terraform.ProcessState.SystemTime()
	if err := used.read(provider.Process.Pid); err != nil {
		return usage{}, err
	}
	end(syscall.SIGQUIT) // a program in Go then prints what each goroutine does
	used.goroutines = len(goroutine.FindAllIndex(stacks.Bytes(), -1))
	return used, nil
}

// goroutine begins the description of a goroutine.
var goroutine = regexp.MustCompile(`(?m)^goroutine \d+ `)

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
	const megabyte = 1e6
	u.provider = time.Duration(stat.CPUTime() * float64(time.Second))
	u.megabytes = float64(status.VmHWM) / megabyte
	return nil
}

// attachment is the provider's output when it waits for a debugger.
var attachment = regexp.MustCompile(`TF_REATTACH_PROVIDERS='(.*)'`)

// readAttachment returns how Terraform finds the provider. The provider's address has a host, which
// is different for OpenTofu. So the host is omitted, and both programs add their own.
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
