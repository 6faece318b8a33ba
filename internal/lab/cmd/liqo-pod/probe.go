package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/signal"
	"syscall"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/probe"
)

// runProbe runs a probe, which a signal ends, and prints its result.
func runProbe(encoded string) error {
	var request probe.Request
	if err := json.Unmarshal([]byte(encoded), &request); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if request.StopOnStdinEOF {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // an error is an end as well
			stop()
		}()
	}
	if request.Announce {
		request.Options.Answered, request.Flow.Answered = announce, announce
	}
	if request.Kind == "http" {
		return show(probe.HTTP(ctx, request.Target, request.Options))
	}
	address, err := netip.ParseAddr(request.Target)
	if err != nil || !address.Is4() {
		return fmt.Errorf("%q is not an IPv4 address", request.Target)
	}
	switch request.Kind {
	case "ping":
		result, err := probe.Ping(ctx, address, request.Size, request.Whole, request.Options)
		if err != nil {
			return err
		}
		return show(result)
	case "udp":
		return show(probe.UDP(ctx, address, request.Options))
	case "flow":
		result, err := probe.Flow(ctx, address, request.Flow)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(result)
	}
	return fmt.Errorf("there is no probe %q", request.Kind)
}

// announce says that a probe has begun. What shall happen to its packets can happen now.
func announce() { fmt.Fprintln(os.Stderr, "The first answer has come.") }

// show prints the result. It returns an error if there was no answer.
func show(result probe.Result) error {
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		return err
	}
	if result.Received == 0 {
		return fmt.Errorf("no answer from %s", result.To)
	}
	return nil
}
