package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/progress"
)

func TestAMeshJoinsEachTwoLeavesOnce(t *testing.T) {
	var got []string
	for _, p := range mesh([]string{"a", "b", "c"}) {
		got = append(got, p.String())
	}
	if want := "a-b a-c b-c"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEveryContestantHasATurnARoundInChangingOrderAfterAWarmUpThatDoesNotCount(t *testing.T) {
	b := &bench{report: progress.New(io.Discard)}
	var turns []string
	turn := func(name string) contestant {
		return contestant{name, func(context.Context) (time.Duration, error) {
			turns = append(turns, name)
			return time.Second, nil
		}}
	}
	forget := func() { turns = append(turns, "forget") }
	if err := b.takeTurns(t.Context(), "it", 2, forget, turn("a"), turn("b")); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", "b", "forget", "b", "a", "a", "b"}; !slices.Equal(turns, want) {
		t.Errorf("the turns were %q, and not %q", turns, want)
	}
}

func TestAFailedTurnSaysWhoseItWas(t *testing.T) {
	b := &bench{report: progress.New(io.Discard)}
	fails := func(context.Context) (time.Duration, error) { return 0, errors.New("no route") }
	err := b.takeTurns(t.Context(), "one shortcut", 1, func() {}, contestant{"liqoctl", fails})
	if want := "one shortcut, warm-up: liqoctl: no route"; err == nil || err.Error() != want {
		t.Errorf("the error is %v, and not %s", err, want)
	}
}

func TestAnOperationLastsFromTerraformsFirstMessageOfItToItsLast(t *testing.T) {
	const (
		ab       = `"hook":{"resource":{"addr":"liqo_shortcut.mesh[\"a-b\"]"}}}` + "\n"
		ac       = `"hook":{"resource":{"addr":"liqo_shortcut.mesh[\"a-c\"]"}}}` + "\n"
		messages = `{"@timestamp":"2026-11-21T03:00:00.000000Z","type":"version"}` + "\n" +
			`{"@timestamp":"2026-11-21T03:00:01.000000Z","type":"apply_start",` + ab +
			`{"@timestamp":"2026-11-21T03:00:01.100000Z","type":"apply_start",` + ac +
			`{"@timestamp":"2026-11-21T03:00:01.900000Z","type":"apply_complete",` + ac +
			`{"@timestamp":"2026-11-21T03:00:02.500000Z","type":"apply_complete",` + ab
	)
	got, err := operationTimes([]byte(messages))
	if err != nil {
		t.Fatal(err)
	}
	if want := []time.Duration{800 * time.Millisecond, 1500 * time.Millisecond}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if _, err := operationTimes([]byte("Error: no JSON\n")); err == nil {
		t.Error("a line that is not a message causes no error")
	}
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

func TestItIsSeenWhatAProcessHasUsed(t *testing.T) {
	var used usage
	if err := used.read(os.Getpid()); err != nil || used.megabytes < 1 || used.provider <= 0 {
		t.Errorf("this process has used %+v (%v)", used, err)
	}
}

func TestFlagsChooseWhatIsMeasured(t *testing.T) {
	o, err := parse([]string{"-repo", "/repo", "-measures", "one,scale", "-rounds", "2"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(o.measures, []string{"one", "scale"}) || o.everythingIsMeasured || o.rounds != 2 {
		t.Errorf("got %+v", o)
	}
	if want := filepath.FromSlash("/repo/templates/guides/figures.md"); o.page != want {
		t.Errorf("the page goes to %s, and not to %s", o.page, want)
	}
	if want := filepath.FromSlash("/repo/internal/lab/cmd/liqo-bench/FIGURES.md"); o.details != want {
		t.Errorf("the details go to %s, and not to %s", o.details, want)
	}
	if o, err := parse(nil); err != nil || !o.everythingIsMeasured || o.command != "make bench" {
		t.Errorf("without flags: %+v, %v", o, err)
	}
	for _, args := range [][]string{
		{"-measures", "one,two"},
		{"-measures", "one,one"},
		{"-rounds", "0"},
		{"-largest-mesh", "4"},
	} {
		if _, err := parse(args); err == nil {
			t.Errorf("%q causes no error", args)
		}
	}
}
