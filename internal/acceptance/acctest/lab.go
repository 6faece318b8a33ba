package acctest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Lab describes a running lab, in the format of `liqo-lab up --json`.
type Lab struct {
	Dir        string       `json:"dir"`
	Kubeconfig string       `json:"kubeconfig"` // with a context for each cluster
	Clusters   []LabCluster `json:"clusters"`

	options []string // of `liqo-lab up`

	administrators map[string]client.WithWatch // keyed by the cluster's name

	// before is the inventory of the lab after its start.
	before []string
	stop   func()
}

// LabCluster is a cluster of the lab.
type LabCluster struct {
	Name         string `json:"name"`
	Kubeconfig   string `json:"kubeconfig"`
	PodCIDR      string `json:"podCIDR"`
	ExternalCIDR string `json:"externalCIDR"`
	ClusterID    string `json:"clusterID"`
	NATIP        string `json:"natIP"` // where the node is reached through the NAT, if the data plane is real
	LiqoVersion  string `json:"liqoVersion"`
	LiqoFolder   string `json:"liqoFolder"` // with its sources, or empty if the version is a published one
}

// startLab starts a lab with these options of `liqo-lab up`. An open pipe keeps it alive, so it ends with this process
// in any case.
func startLab(options []string) (*Lab, error) {
	dir, err := os.MkdirTemp(Scratch, "lab")
	if err != nil {
		return nil, err
	}
	command := exec.Command(LabProgram,
		append([]string{"up", "--json", "--stop-on-stdin-eof", "--dir", filepath.Join(dir, "lab")}, options...)...)
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
	l := &Lab{options: options, stop: func() {
		_ = alive.Close()
		_ = command.Wait()
	}}
	if err := l.read(output); err != nil {
		l.stop()
		return nil, fmt.Errorf("the lab did not get ready: %w", err)
	}
	return l, nil
}

// thrift returns the environment variables that make the programs of a lab do with less of the machine. Only API
// servers would use more memory than the limit. They hold 150 MB, and collect garbage more often: with 350 MiB instead
// of a GiB, that is less than a tenth of their CPU time.
func thrift() []string {
	variables := []string{"GOMEMLIMIT=350MiB"}
	const sideBySide = 4 // labs, each of another package
	if runtime.NumCPU() <= sideBySide {
		// The programs of the labs keep every core busy. A program on one core at a time, as in a container with one CPU,
		// does not look for work on other cores and does not wake them up. That is 4 to 9 % of the CPU time.
		variables = append(variables, "GOMAXPROCS=1")
	}
	return variables
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
	l.administrators = map[string]client.WithWatch{}
	for _, c := range l.Clusters {
		if l.administrators[c.Name], err = administrator(c.Kubeconfig); err != nil {
			return err
		}
	}
	l.before, err = l.Inventory(context.Background())
	return err
}

// Command runs liqo-lab on the running lab. It also works in a cleanup, after the end of the test's context.
func (l *Lab) Command(t *testing.T, args ...string) {
	t.Helper()
	if err := l.Try(args...); err != nil {
		t.Fatal(err)
	}
}

// Try is like command, and returns the error.
func (l *Lab) Try(args ...string) error {
	if output, err := exec.Command(LabProgram, append(args, "--dir", l.Dir)...).CombinedOutput(); err != nil {
		return fmt.Errorf("liqo-lab %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	return nil
}

// Cluster returns the cluster with this name.
func (l *Lab) Cluster(t *testing.T, name string) LabCluster {
	t.Helper()
	for _, c := range l.Clusters {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("the lab has no cluster %q", name)
	return LabCluster{}
}

// administrator returns a client that knows every kind of Kubernetes and Liqo.
func administrator(kubeconfig string) (client.WithWatch, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1 // no limit
	scheme := cluster.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	return client.NewWithWatch(config, client.Options{Scheme: scheme})
}

// Administrator returns a client that accesses a cluster directly, without the provider. All tests on the lab share it,
// because each new one asks the API server for all kinds again.
func (l *Lab) Administrator(t *testing.T, name string) client.WithWatch {
	t.Helper()
	return l.administrators[l.Cluster(t, name).Name]
}

// Config returns an administrator's credentials for a cluster, and its address.
func (l *Lab) Config(t *testing.T, name string) *rest.Config {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", l.Cluster(t, name).Kubeconfig)
	if err == nil {
		err = rest.LoadTLSFiles(config)
	}
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// Client is like administrator, for tests that do not watch.
func (l *Lab) Client(t *testing.T, name string) client.Client {
	t.Helper()
	return l.Administrator(t, name)
}

// Inventory lists every object in every cluster, one per line.
func (l *Lab) Inventory(ctx context.Context) ([]string, error) {
	output, err := exec.CommandContext(ctx, LabProgram, "inventory", "--dir", l.Dir).Output()
	if err != nil {
		return nil, fmt.Errorf("liqo-lab inventory: %w", err)
	}
	return strings.Split(strings.TrimSpace(string(output)), "\n"), nil
}

// KeepsInventory fails the test if, at its end, the clusters have other objects than now.
func (l *Lab) KeepsInventory(t *testing.T) {
	t.Helper()
	before, err := l.Inventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.SameInventory(context.WithoutCancel(t.Context()), t, before); err != nil {
			t.Error(err)
		}
	})
}

// SameInventory compares the objects on the clusters with those before. Kubernetes removes the pod of a Deployment
// after it, so new pods have some time to go.
func (l *Lab) SameInventory(ctx context.Context, t *testing.T, before []string) error {
	t.Helper()
	added, removed, err := l.changes(ctx, before)
	pods := slices.DeleteFunc(slices.Clone(added), func(line string) bool { return !strings.Contains(line, " pods ") })
	if err == nil && len(pods) > 0 {
		for _, line := range pods {
			err = errors.Join(err, l.podGoes(ctx, t, line))
		}
		var again error
		added, removed, again = l.changes(ctx, before)
		err = errors.Join(err, again)
	}
	if len(added)+len(removed) > 0 {
		err = errors.Join(err, fmt.Errorf("the objects on the clusters have changed; new:\n%s\ngone:\n%s",
			strings.Join(added, "\n"), strings.Join(removed, "\n")))
	}
	return err
}

// changes returns the lines of the inventory that are new, and those that are gone.
func (l *Lab) changes(ctx context.Context, before []string) (added, removed []string, err error) {
	now, err := l.Inventory(ctx)
	if err != nil {
		return nil, nil, err
	}
	without := func(lines, others []string) []string {
		return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return slices.Contains(others, line) })
	}
	return without(now, before), without(before, now), nil
}

// podGoes returns once the pod of a line of the inventory is gone.
func (l *Lab) podGoes(ctx context.Context, t *testing.T, line string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, TimeToHappen)
	defer cancel()
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '/' }) // cluster pods namespace name
	c := l.Administrator(t, words[0])
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: words[2], Name: words[3]}}
	return untilGone(ctx, c, &corev1.PodList{}, pod, func() error {
		return c.Get(ctx, client.ObjectKeyFromObject(pod), pod)
	})
}
