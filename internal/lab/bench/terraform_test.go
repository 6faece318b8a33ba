package bench

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/programs"
)

//go:embed bench.tf
var configuration embed.FS

// terraform is Terraform with a configuration for the leaves of a kubeconfig, in a folder of its own.
type terraform struct {
	*programs.Terraform

	dir string
}

func newTerraform(b *testing.B, kubeconfig string) *terraform {
	b.Helper()
	dir := filepath.Join(b.TempDir(), "terraform")
	t, err := programs.NewTerraform(cli, dir, filepath.Dir(provider), configuration)
	if err != nil {
		b.Fatal(err)
	}
	t.Set("TF_VAR_kubeconfig", kubeconfig)
	for _, log := range []string{"TF_LOG", "TF_LOG_CORE", "TF_LOG_PROVIDER"} {
		t.Set(log, "") // logging would change the figures
	}
	return &terraform{t, dir}
}

// choose makes later commands be about these pairs and no others.
func (t *terraform) choose(b *testing.B, pairs ...pair) {
	b.Helper()
	shortcuts := map[string]pair{}
	for _, p := range pairs {
		shortcuts[p.String()] = p
	}
	variables, err := json.Marshal(map[string]any{"shortcuts": shortcuts})
	if err == nil {
		err = os.WriteFile(filepath.Join(t.dir, "bench.auto.tfvars.json"), variables, 0o600)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// run returns the duration of a command, which has to succeed.
func (t *terraform) run(b *testing.B, args ...string) time.Duration {
	b.Helper()
	_, took := timed(b, 0, t.Command(ctx, args...))
	return took
}

func (t *terraform) apply(b *testing.B) time.Duration {
	b.Helper()
	return t.run(b, "apply", "-auto-approve")
}

func (t *terraform) destroy(b *testing.B) time.Duration {
	b.Helper()
	return t.run(b, "destroy", "-auto-approve")
}

// emptyPlan returns the duration of a plan that has no changes.
func (t *terraform) emptyPlan(b *testing.B) time.Duration {
	b.Helper()
	return t.run(b, "plan", "-detailed-exitcode")
}

// creation returns the time from Terraform's first message about a resource to its last, of `terraform apply -json`.
func creation(tb testing.TB, messages []byte) time.Duration {
	tb.Helper()
	var began, ended time.Time
	for lines := bufio.NewScanner(bytes.NewReader(messages)); lines.Scan(); {
		var message struct {
			Type      string    `json:"type"`
			Timestamp time.Time `json:"@timestamp"`
		}
		if err := json.Unmarshal(lines.Bytes(), &message); err != nil {
			tb.Fatalf("terraform apply -json: %v", err)
		}
		switch message.Type {
		case "apply_start":
			if began.IsZero() {
				began = message.Timestamp
			}
		case "apply_complete":
			ended = message.Timestamp
		}
	}
	return ended.Sub(began)
}

func TestACreationLastsFromTerraformsFirstMessageOfAResourceToItsLast(t *testing.T) {
	const messages = `{"@timestamp":"2026-11-21T03:00:00.000000Z","type":"version"}
{"@timestamp":"2026-11-21T03:00:01.000000Z","type":"apply_start"}
{"@timestamp":"2026-11-21T03:00:01.100000Z","type":"apply_start"}
{"@timestamp":"2026-11-21T03:00:01.900000Z","type":"apply_complete"}
{"@timestamp":"2026-11-21T03:00:02.500000Z","type":"apply_complete"}
{"@timestamp":"2026-11-21T03:00:02.600000Z","type":"change_summary"}
`
	if got, want := creation(t, []byte(messages)), 1500*time.Millisecond; got != want {
		t.Errorf("it lasts %s, and not %s", got, want)
	}
}
