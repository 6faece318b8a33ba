package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Each start of a large program costs CPU time, before it does anything.
func TestItLinksNothingLarge(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	large := regexp.MustCompile(`(?m)^.*(k8s\.io|helm\.sh|prometheus|grpc).*$`)
	if found := large.FindAllString(string(out), -1); found != nil {
		t.Errorf("it links %s", strings.Join(found, ", "))
	}
}

func TestWhatCannotRunSaysWhy(t *testing.T) {
	for want, args := range map[string][]string{
		"see liqo-lab help":                {},
		`parsing "x": invalid syntax`:      {"enter", "x", "/bin/true"},
		"invalid character":                {"probe", "10.71.1.10"},
		`"::1" is not an IPv4 address`:     {"probe", `{"Kind": "udp", "Target": "::1"}`},
		`there is no probe "trace"`:        {"probe", `{"Kind": "trace", "Target": "10.71.1.10"}`},
		`a flow is one of ["icmp" "udp" "`: {"probe", `{"Kind": "flow", "Target": "10.71.1.10"}`},
	} {
		if err := run("liqo-pod", args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", args, err, want)
		}
	}
}
