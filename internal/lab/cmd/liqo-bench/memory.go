package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/programs"
)

// peakMemory returns the provider's peak resident memory during a plan, in MB. The provider is
// started before Terraform, as for a debugger. So the process still exists when Terraform has
// ended, and its peak can be read.
func (b *bench) peakMemory(ctx context.Context, on *leaves) (_ float64, err error) {
	provider := programs.Command(ctx, b.provider, "-debug")
	// Otherwise it would log everything, which takes memory, too.
	provider.Env = append(os.Environ(), "TF_LOG=OFF", "TF_LOG_PROVIDER=OFF")
	provider.Stderr = io.Discard
	stdout, err := provider.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := provider.Start(); err != nil {
		return 0, err
	}
	defer func() {
		_ = provider.Process.Signal(syscall.SIGINT) // an error means that it is gone already
		_, _ = io.Copy(io.Discard, stdout)
		_ = provider.Wait() // it was told to end
	}()
	attach, err := readAttachment(stdout)
	if err != nil {
		return 0, err
	}
	if _, err := on.ours.plan(ctx, "TF_REATTACH_PROVIDERS="+attach); err != nil {
		return 0, err
	}
	status, err := os.Open(fmt.Sprintf("/proc/%d/status", provider.Process.Pid))
	if err != nil {
		return 0, err
	}
	defer status.Close()
	peak, err := residentPeak(status)
	if err == nil {
		b.report.Say("the provider had %.0f MB resident at its peak", peak)
	}
	return peak, err
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

// residentPeak reads the largest resident size from a /proc/PID/status, in MB.
func residentPeak(status io.Reader) (float64, error) {
	for lines := bufio.NewScanner(status); lines.Scan(); {
		text, found := strings.CutPrefix(lines.Text(), "VmHWM:")
		if !found {
			continue
		}
		kibibytes, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(text), " kB"), 64)
		return kibibytes * 1024 / 1e6, err
	}
	return 0, errors.New("the kernel does not tell VmHWM")
}
