package runbooks

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// The alerts of the page can only fire if the gateways serve the metrics in their rules, with these labels.
func TestAccPacketsShowInTheMetricsOfTheRunbook(t *testing.T) {
	lab := acctest.BorrowReal(t, append([]string{"--dataplane=real", "--metrics"}, acctest.Pair...))
	page := acctest.SectionOf(t, operations, "Monitoring")
	names := regexp.MustCompile(`\bliqo_[a-z_]+`)
	curl := filepath.Join(t.TempDir(), "curl")
	acctest.Must(t, os.Symlink(acctest.PodProgram, curl))
	// A pod asks the gateway of a cluster. The result has the labels and the value of each metric, by its name.
	metrics := func(cluster string) map[string]string {
		t.Helper()
		text := lab.Output(t, "exec", cluster+"/default/a", "--", curl, "-s", "-m", "10",
			"http://"+lab.GatewayPod(t, cluster).Status.PodIP+":8084/metrics")
		metrics := map[string]string{}
		for line := range strings.Lines(text) {
			if name := names.FindString(line); name != "" && strings.HasPrefix(line, name) {
				metrics[name] = strings.TrimSpace(strings.TrimPrefix(line, name))
			}
		}
		return metrics
	}
	p := lab.Join(t, "milan", acctest.OverNodePort)
	p.Lab.Reaches(t, "rome", p.ServerAt)
	for leaf, other := range acctest.Other {
		served := metrics(leaf)
		for _, name := range names.FindAllString(page, -1) {
			labels, exists := served[name]
			if !exists {
				t.Errorf("the gateway of %s serves no %s, but %v", leaf, name, slices.Sorted(maps.Keys(served)))
			}
			expected := `cluster_id="` + other + `"`
			if name == "liqo_wireguard_implementation" {
				expected = `implementation="userspace"`
			}
			if !strings.Contains(labels, expected) {
				t.Errorf("%s of %s has the labels %s, without %s", name, leaf, labels, expected)
			}
		}
	}

	rules := acctest.BlockOf(t, page, "yaml")
	for _, rule := range []string{"expr: liqo_peer_is_connected == 0\n", "expr: liqo_peer_latency_us > "} {
		if !strings.Contains(rules, rule) {
			t.Errorf("no rule has %q", rule)
		}
	}
	connected := metrics("rome")["liqo_peer_is_connected"]
	lab.Link(t, "rome", "milan")("--down")
	lab.GoesDown(t)
	served := metrics("rome")
	down := served["liqo_peer_is_connected"]
	if !strings.HasSuffix(connected, "} 1") || strings.TrimSuffix(connected, "1")+"0" != down {
		t.Errorf("it was %s, and is %s without a link", connected, down)
	}
	for _, name := range []string{
		"liqo_peer_latency_us", "liqo_peer_receive_bytes_total", "liqo_peer_transmit_bytes_total",
	} {
		if labels, exists := served[name]; exists {
			t.Errorf("without a link, the gateway serves %s%s", name, labels)
		}
	}
}
