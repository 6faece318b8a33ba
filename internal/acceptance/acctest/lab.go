package acctest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

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

	clients map[string]client.WithWatch // keyed by the cluster's name

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
	output, failed := command.StdoutPipe()
	if err = errors.Join(err, failed); err == nil {
		err = command.Start()
	}
	if err != nil {
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
// servers would use more memory than the limit of LAB_MEMORY. They hold 150 MB, and collect garbage more often: with
// 350 MiB instead of a GiB, that is less than a tenth of their CPU time. Without LAB_MEMORY, there is no limit.
func thrift() []string {
	variables := []string{"GOMEMLIMIT=" + os.Getenv("LAB_MEMORY")}
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
	l.clients = map[string]client.WithWatch{}
	for _, c := range l.Clusters {
		if l.clients[c.Name], err = newClient(c.Kubeconfig); err != nil {
			return err
		}
	}
	for _, prepare := range preparations {
		if err := prepare(l); err != nil {
			return err
		}
	}
	l.before, err = l.inventory()
	return err
}

// preparations change each lab of this package right after its start.
var preparations []func(*Lab) error

// Command runs liqo-lab on the running lab. It also works in a cleanup, after the end of the test's context.
func (l *Lab) Command(t *testing.T, args ...string) {
	t.Helper()
	if output, err := exec.Command(LabProgram, append(args, "--dir", l.Dir)...).CombinedOutput(); err != nil {
		t.Fatalf("liqo-lab %s: %v\n%s", strings.Join(args, " "), err, output)
	}
}

// usual are the settings of a cluster of a lab that has just started.
var usual = map[string]string{
	"connect": "true", "mute": "false", "load-balancer": "true", "pull-image": "true", "schedulable": "true",
	"liqo":                "running",
	"gateway-ready-after": "0s", "gateway-reported-after": "0s", "pod-started-after": "0s", "pod-reported-after": "500ms",
}

// Set changes settings of a cluster, of the form KEY=VALUE. They are as usual again when the test ends.
func (l *Lab) Set(t *testing.T, cluster string, settings ...string) {
	t.Helper()
	for _, setting := range settings {
		key, value, _ := strings.Cut(setting, "=")
		if value != usual[key] {
			t.Cleanup(func() { l.Command(t, "set", cluster, key+"="+usual[key]) })
		}
		l.Command(t, "set", cluster, setting)
	}
}

// Output is like Command, and returns what the command prints.
func (l *Lab) Output(t *testing.T, command string, args ...string) string {
	t.Helper()
	printed, err := Output(LabProgram, append([]string{command, "--dir", l.Dir}, args...)...)
	Must(t, err)
	return printed
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

// newClient returns a client that knows every kind of Kubernetes and Liqo.
func newClient(kubeconfig string) (client.WithWatch, error) {
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

// Client returns an administrator's client for a cluster, without the provider. All tests on the lab share it, because
// each new one asks the API server for all kinds again.
func (l *Lab) Client(t *testing.T, name string) client.WithWatch {
	t.Helper()
	return l.clients[l.Cluster(t, name).Name]
}

// Config returns an administrator's credentials for a cluster, and its address.
func (l *Lab) Config(t *testing.T, name string) *rest.Config {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", l.Cluster(t, name).Kubeconfig)
	if err == nil {
		err = rest.LoadTLSFiles(config)
	}
	Must(t, err)
	return config
}
