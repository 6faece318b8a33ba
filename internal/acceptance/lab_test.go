//go:build acceptance

package acceptance

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// lab is the running lab that the tests of this package share, unless they need one of another kind.
var lab *Lab

// Lab describes a running lab, in the words of `liqo-lab up --json`.
type Lab struct {
	Dir        string       `json:"dir"`
	Kubeconfig string       `json:"kubeconfig"` // with a context for each cluster
	Clusters   []LabCluster `json:"clusters"`
}

// LabCluster is one of its clusters.
type LabCluster struct {
	Name         string `json:"name"`
	Kubeconfig   string `json:"kubeconfig"`
	Server       string `json:"server"`
	PodCIDR      string `json:"podCIDR"`
	ExternalCIDR string `json:"externalCIDR"`
	ClusterID    string `json:"clusterID"`
}

// The clusters: the topology of Europe, Rome and Milan; Naples, which has Rome's pod CIDR; and Venice, which has no Liqo.
var labClusters = []string{
	"--cluster=europe=10.200.0.0/16",
	"--cluster=rome=10.202.0.0/16",
	"--cluster=milan=10.203.0.0/16",
	"--cluster=naples=10.202.0.0/16",
	"--cluster=venice=10.205.0.0/16,no-liqo",
}

func TestMain(m *testing.M) {
	ctrllog.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	os.Exit(runInLab(m))
}

func runInLab(m *testing.M) int {
	dir, err := os.MkdirTemp("", "liqo-acc-")
	if err != nil {
		log.Print(err)
		return 1
	}
	defer os.RemoveAll(dir)
	var stop func()
	if lab, stop, err = startLab(dir+"/lab", labClusters...); err != nil {
		log.Print(err)
		return 1
	}
	defer stop()
	return m.Run()
}

// startLab starts a lab in a folder, with options of `liqo-lab up`. An open pipe keeps it alive: it ends with this process, however that ends.
func startLab(dir string, options ...string) (started *Lab, stop func(), err error) {
	command := exec.Command(labProgram(), append([]string{"up", "--json", "--stop-on-stdin-eof", "--dir", dir}, options...)...)
	command.Stderr = os.Stderr
	alive, err := command.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := command.Start(); err != nil {
		return nil, nil, fmt.Errorf("the lab does not start; `make acc` builds it: %w", err)
	}
	stop = func() {
		_ = alive.Close()
		_ = command.Wait()
	}
	if started, err = readLab(output); err != nil {
		stop()
		return nil, nil, fmt.Errorf("the lab is not ready: %w", err)
	}
	return started, stop, nil
}

func readLab(output io.Reader) (*Lab, error) {
	line, err := bufio.NewReader(output).ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	described := &Lab{}
	return described, json.Unmarshal(line, described)
}

func labProgram() string {
	if program := os.Getenv("LIQO_LAB"); program != "" {
		return program
	}
	return "liqo-lab"
}

// command runs liqo-lab on the running lab. It also works in a cleanup, when the test's context has ended.
func (l *Lab) command(t *testing.T, args ...string) {
	t.Helper()
	command := exec.CommandContext(context.WithoutCancel(t.Context()), labProgram(), append(args, "--dir", l.Dir)...)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("liqo-lab %s: %v\n%s", strings.Join(args, " "), err, output)
	}
}

// cluster is the cluster of that name.
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

// client talks to a cluster directly, past the provider.
func (l *Lab) client(t *testing.T, name string) client.Client {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", l.cluster(t, name).Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(config, client.Options{Scheme: cluster.NewScheme()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// inventory lists every object in every cluster, one a line.
func (l *Lab) inventory(ctx context.Context) ([]string, error) {
	output, err := exec.CommandContext(ctx, labProgram(), "inventory", "--dir", l.Dir).Output()
	if err != nil {
		return nil, fmt.Errorf("liqo-lab inventory: %w", err)
	}
	return strings.Split(strings.TrimSpace(string(output)), "\n"), nil
}
