package acceptance

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Lab describes a running lab, in the format of `liqo-lab up --json`.
type Lab struct {
	Dir        string       `json:"dir"`
	Kubeconfig string       `json:"kubeconfig"` // with a context for each cluster
	Clusters   []LabCluster `json:"clusters"`

	kind *kind

	mu             sync.Mutex
	administrators map[string]client.WithWatch // of the clusters that a test has accessed, by their names

	// before is the inventory of the lab after its start.
	before []string
	stop   func()
}

// LabCluster is a cluster of the lab.
type LabCluster struct {
	Name         string `json:"name"`
	Kubeconfig   string `json:"kubeconfig"`
	Server       string `json:"server"`
	PodCIDR      string `json:"podCIDR"`
	ExternalCIDR string `json:"externalCIDR"`
	ClusterID    string `json:"clusterID"`
	NATIP        string `json:"natIP"` // where the node is reached through the NAT, if the data plane is real
	LiqoVersion  string `json:"liqoVersion"`
	LiqoFolder   string `json:"liqoFolder"` // with its sources, or empty if the version is a published one
}

// startLab starts a lab with these options of `liqo-lab up`. An open pipe keeps it alive, so it ends with this process
// in any case.
func startLab(options ...string) (*Lab, error) {
	dir, err := os.MkdirTemp(scratch, "lab")
	if err != nil {
		return nil, err
	}
	command := exec.Command(
		labProgram,
		append([]string{"up", "--json", "--stop-on-stdin-eof", "--dir", filepath.Join(dir, "lab")}, options...)...,
	)
	command.Stderr = os.Stderr
	command.Env = append(os.Environ(), thrift()...)
	alive, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("the lab did not start: %w", err)
	}
	l := &Lab{stop: func() {
		_ = alive.Close()
		_ = command.Wait()
	}}
	if err := l.read(output); err != nil {
		l.stop()
		return nil, fmt.Errorf("the lab did not get ready: %w", err)
	}
	return l, nil
}

// thrift returns the environment variables that make the programs of a lab do with less of the machine.
func thrift() []string {
	variables := []string{fmt.Sprintf("GOMEMLIMIT=%dMiB", memoryLimit())}
	if runtime.NumCPU() <= labs.size {
		// The programs of the labs keep every core busy. A program on one core at a time, as in a container with one CPU,
		// does not look for work on other cores and does not wake them up. That is 4 to 9 % of the CPU time.
		variables = append(variables, "GOMAXPROCS=1")
	}
	return variables
}

// memoryLimit returns how many MiB each program of a lab may use. Only API servers would use more. They hold 150 MB and
// collect garbage several times as often with 500 MiB as with a GiB, which is a twentieth of their CPU time. A run has
// up to a dozen clusters, and they may use half of the machine's memory.
func memoryLimit() int {
	const least, share = 500, 24
	return max(least, memory()/share)
}

// memory returns the machine's memory in MiB, or 0 if it is not Linux.
func memory() int {
	content, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	var kib int
	if _, err := fmt.Sscanf(string(content), "MemTotal: %d kB", &kib); err != nil {
		return 0
	}
	return kib / 1024
}

// read waits until the lab has described itself, and records its inventory.
func (l *Lab) read(output io.Reader) error {
	line, err := bufio.NewReader(output).ReadBytes('\n')
	if err != nil {
		return err
	}
	if err := json.Unmarshal(line, l); err != nil {
		return err
	}
	l.before, err = l.inventory(context.Background())
	return err
}

// serves reports whether tests of a kind can use the lab: it is of that kind, or has further clusters.
func (l *Lab) serves(k *kind) bool {
	further := slices.DeleteFunc(slices.Clone(l.kind.options), func(option string) bool {
		return slices.Contains(k.options, option)
	})
	return len(further) == len(l.kind.options)-len(k.options) &&
		!slices.ContainsFunc(further, func(option string) bool { return !strings.HasPrefix(option, "--cluster=") })
}

// command runs liqo-lab on the running lab. It also works in a cleanup, after the end of the test's context.
func (l *Lab) command(t *testing.T, args ...string) {
	t.Helper()
	if err := l.try(args...); err != nil {
		t.Fatal(err)
	}
}

// try is like command, and returns the error.
func (l *Lab) try(args ...string) error {
	if output, err := exec.Command(labProgram, append(args, "--dir", l.Dir)...).CombinedOutput(); err != nil {
		return fmt.Errorf("liqo-lab %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	return nil
}

// cluster returns the cluster with this name.
func (l *Lab) cluster(t *testing.T, name string) LabCluster {
	t.Helper()
	for _, c := range l.Clusters {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("the lab has no cluster %q", name)
	return LabCluster{}
}

// client is like administrator, for tests that do not watch.
func (l *Lab) client(t *testing.T, name string) client.Client {
	t.Helper()
	return l.administrator(t, name)
}

// inventory lists every object in every cluster, one per line.
func (l *Lab) inventory(ctx context.Context) ([]string, error) {
	output, err := exec.CommandContext(ctx, labProgram, "inventory", "--dir", l.Dir).Output()
	if err != nil {
		return nil, fmt.Errorf("liqo-lab inventory: %w", err)
	}
	return strings.Split(strings.TrimSpace(string(output)), "\n"), nil
}

// keepsInventory fails the test if, at its end, the clusters have other objects than now.
func (l *Lab) keepsInventory(t *testing.T) {
	t.Helper()
	before, err := l.inventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.sameInventory(context.WithoutCancel(t.Context()), before); err != nil {
			t.Error(err)
		}
	})
}

// sameInventory compares the objects on the clusters with those before.
func (l *Lab) sameInventory(ctx context.Context, before []string) error {
	now, err := l.inventory(ctx)
	if err != nil {
		return err
	}
	var differences []string
	for _, line := range now {
		if !slices.Contains(before, line) {
			differences = append(differences, "+ "+line)
		}
	}
	for _, line := range before {
		if !slices.Contains(now, line) {
			differences = append(differences, "- "+line)
		}
	}
	if len(differences) > 0 {
		return fmt.Errorf("the objects on the clusters have changed:\n%s", strings.Join(differences, "\n"))
	}
	return nil
}
