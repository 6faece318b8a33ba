//go:build lab

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/fleet/conformance"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/inspect"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/process"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/progress"
)

// asCommand makes the test program run as the command, so that tests run what users run.
const asCommand = "LIQO_LAB_TEST_AS_COMMAND"

// patience limits everything in these tests. lifetime limits how long a lab may run. buildTime limits the first build
// of the programs, before anything else.
const (
	patience  = 3 * time.Minute
	lifetime  = 15 * time.Minute
	buildTime = time.Hour
)

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	if err := buildPodProgram(); err != nil {
		log.Fatal(err)
	}
	if _, err := binaries.Build(context.Background(), progress.New(os.Stderr), binaries.Liqoctl); err != nil {
		log.Fatal(err)
	}
	os.Exit(m.Run())
}

// buildPodProgram builds liqo-pod where the command looks for it: beside the test program.
func buildPodProgram() error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	build := exec.Command("go", "build", "-o", filepath.Dir(executable), "../liqo-pod")
	build.Stderr = os.Stderr
	return build.Run()
}

// command is liqo-lab with these arguments.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	return commandWithin(t, patience, args...)
}

// commandWithin is liqo-lab with these arguments. It is killed after that time.
func commandWithin(t *testing.T, limit time.Duration, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// build builds the programs of a lab with these options of `liqo-lab up`.
func build(t *testing.T, options ...string) {
	t.Helper()
	out, err := commandWithin(t, buildTime, append([]string{"up", "--build-only"}, options...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// running is a lab that a test started as its child.
type running struct {
	labdir.State
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr *bytes.Buffer
}

// start starts a lab. It ends with the test at the latest.
func start(t *testing.T, dir string, clusters ...string) *running {
	t.Helper()
	var options []string
	for _, c := range clusters {
		options = append(options, "--cluster", c)
	}
	return startWith(t, dir, options...)
}

// startWith starts a lab with options of `liqo-lab up`.
func startWith(t *testing.T, dir string, options ...string) *running {
	t.Helper()
	build(t, options...)
	args := append([]string{"up", "--json", "--stop-on-stdin-eof", "--dir", dir}, options...)
	r := &running{cmd: commandWithin(t, lifetime, args...), stderr: &bytes.Buffer{}}
	r.cmd.Stderr = r.stderr
	var err error
	if r.stdin, err = r.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.stdin.Close(); _ = r.cmd.Wait() })
	if r.State, err = labdir.ReadAnnounced(stdout); err != nil {
		t.Fatalf("the lab did not start: %v\n%s", err, r.stderr)
	}
	return r
}

// status returns what `liqo-lab status` says.
func (r *running) status(t *testing.T) (now status) {
	t.Helper()
	out, err := command(t, "status", "--json", "--dir", r.Dir).Output()
	if err != nil || json.Unmarshal(out, &now) != nil {
		t.Fatalf("liqo-lab status: %s, %v", out, err)
	}
	return now
}

// listensHere fails the test if a process of the lab accepts connections from other machines.
func (r *running) listensHere(t *testing.T) {
	t.Helper()
	addresses, err := process.Listeners(append(process.Marked(r.Dir), r.cmd.Process.Pid)...)
	if err != nil || len(addresses) == 0 {
		t.Fatalf("%d addresses, %v", len(addresses), err)
	}
	for _, address := range addresses {
		if !address.IP.IsLoopback() {
			t.Errorf("something listens on %s", &address)
		}
	}
}

// gone fails the test if anything is left of the lab in a folder.
func gone(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", dir, err)
	}
	if pids := process.Marked(dir); len(pids) > 0 {
		t.Errorf("processes %v are still there", pids)
	}
}

func connect(t *testing.T, c labdir.Cluster) client.WithWatch {
	t.Helper()
	scheme := runtime.NewScheme()
	err := errors.Join(
		clientgoscheme.AddToScheme(scheme),
		networkingv1beta1.AddToScheme(scheme),
		liqov1beta1.AddToScheme(scheme),
	)
	if err != nil {
		t.Fatal(err)
	}
	cl, err := client.NewWithWatch(configOf(t, c), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return cl
}

func configOf(t *testing.T, c labdir.Cluster) *rest.Config {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// waitFor waits until an object of this kind fulfils a condition.
func waitFor[T client.Object](t *testing.T, c labdir.Cluster, kind T, fulfils func(T) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := kube.Await(ctx, connect(t, c), kind, fulfils); err != nil {
		t.Fatalf("no %T in %s fulfils the condition: %v", kind, c.Name, err)
	}
}

// awaitStatus waits until the cluster's connection has a status.
func awaitStatus(t *testing.T, c labdir.Cluster, want networkingv1beta1.ConnectionStatusValue) {
	t.Helper()
	waitFor(t, c, &networkingv1beta1.Connection{}, func(conn *networkingv1beta1.Connection) bool {
		return conn.Status.Value == want
	})
}

func liqoctl(t *testing.T, args ...string) {
	t.Helper()
	runLiqoctlProgram(t, binaries.Liqoctl, args...)
}

// buildLiqoctl returns the file of a version of liqoctl.
func buildLiqoctl(t *testing.T, version binaries.Program) string {
	t.Helper()
	files, err := binaries.Build(t.Context(), progress.New(os.Stderr), version)
	if err != nil {
		t.Fatal(err)
	}
	return files[binaries.Liqoctl.Name]
}

// runLiqoctlProgram runs a version of liqoctl.
func runLiqoctlProgram(t *testing.T, version binaries.Program, args ...string) {
	t.Helper()
	file := buildLiqoctl(t, version)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if out, err := exec.CommandContext(ctx, file, args...).CombinedOutput(); err != nil {
		t.Fatalf("liqoctl %v: %v\n%s", args, err, out)
	}
}

func TestTwoClustersConnectAndSurviveWhatTheLabDoesToThem(t *testing.T) {
	lab := start(t, filepath.Join(t.TempDir(), "lab"), "rome=10.200.0.0/16", "milan=10.200.0.0/16")
	rome, milan := lab.Clusters[0], lab.Clusters[1]
	pair := []string{"--kubeconfig", rome.Kubeconfig, "--remote-kubeconfig", milan.Kubeconfig}
	before, err := inspect.Inventory(t.Context(), lab.Clusters)
	if err != nil {
		t.Fatal(err)
	}

	t.Run("a leaf of a fleet answers as they do", func(t *testing.T) { conformance.Check(t, configOf(t, rome)) })

	t.Run("liqoctl connects them, and the equal pod networks are remapped", func(t *testing.T) {
		liqoctl(t, append([]string{"network", "connect", "--gw-server-service-type", "LoadBalancer", "--wait"}, pair...)...)
		awaitStatus(t, rome, networkingv1beta1.Connected)
		awaitStatus(t, milan, networkingv1beta1.Connected)
		waitFor(t, rome, &networkingv1beta1.Configuration{}, func(c *networkingv1beta1.Configuration) bool {
			return c.Status.Remote != nil && len(c.Status.Remote.CIDR.Pod) == 1 && c.Status.Remote.CIDR.Pod[0] != "10.200.0.0/16"
		})
	})

	t.Run("a table shows the connections of both", func(t *testing.T) {
		var out strings.Builder
		if err := inspect.Get(t.Context(), &out, lab.Clusters, "connections"); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); strings.Count(got, "Connected") != 2 || !strings.Contains(got, "CLUSTER") {
			t.Errorf("got\n%s", got)
		}
	})

	t.Run("a cut tunnel is an error at both ends, and recovers", func(t *testing.T) {
		lab.run(t, "set", "rome", "connect=false")
		awaitStatus(t, rome, networkingv1beta1.ConnectionError)
		awaitStatus(t, milan, networkingv1beta1.ConnectionError)
		lab.run(t, "set", "rome", "connect=true")
		awaitStatus(t, rome, networkingv1beta1.Connected)
		awaitStatus(t, milan, networkingv1beta1.Connected)
	})

	t.Run("an API server stops and starts, with the same address and data", func(t *testing.T) {
		lab.run(t, "stop-apiserver", "rome")
		if err := answers(t, rome); err == nil {
			t.Error("the API server still answers")
		}
		awaitStatus(t, milan, networkingv1beta1.Connected)
		lab.run(t, "start-apiserver", "rome")
		awaitStatus(t, rome, networkingv1beta1.Connected)
	})

	t.Run("liqoctl takes the network down again", func(t *testing.T) {
		liqoctl(t, append([]string{"network", "reset", "--skip-confirm"}, pair...)...)
	})

	t.Run("an unschedulable gateway says so", func(t *testing.T) {
		lab.run(t, "set", "milan", "schedulable=false")
		liqoctl(t, append([]string{"network", "init"}, pair...)...)
		gateway := &networkingv1beta1.GatewayServer{}
		gateway.Namespace, gateway.Name = "liqo-tenant-rome", "rome"
		gateway.Labels = map[string]string{"liqo.io/remote-cluster-id": "rome"}
		gateway.Spec = networkingv1beta1.GatewayServerSpec{
			MTU:      1340,
			Endpoint: networkingv1beta1.Endpoint{Port: 51840, ServiceType: corev1.ServiceTypeNodePort},
			ServerTemplateRef: corev1.ObjectReference{
				APIVersion: networkingv1beta1.GroupVersion.String(),
				Kind:       "WgGatewayServerTemplate",
				Name:       "wireguard-server",
				Namespace:  "liqo",
			},
		}
		if err := connect(t, milan).Create(t.Context(), gateway); err != nil {
			t.Fatal(err)
		}
		const reason = "0/1 nodes are available: 1 node(s) were unschedulable. preemption: 0/1 nodes "
		waitFor(t, milan, &corev1.Event{}, func(e *corev1.Event) bool {
			return e.Reason == "FailedScheduling" && strings.HasPrefix(e.Message, reason)
		})
		lab.run(t, "set", "milan", "schedulable=true")
		waitFor(t, milan, &corev1.Pod{}, func(p *corev1.Pod) bool { return p.Status.Phase == corev1.PodRunning })
	})

	if t.Failed() {
		t.Log(lab.stderr)
	}
	after, err := inspect.Inventory(t.Context(), lab.Clusters)
	if err != nil || len(after) <= len(before) {
		t.Errorf("%d objects before, %d after; %v", len(before), len(after), err)
	}
	if out, err := command(t, "down", "--dir", lab.Dir).CombinedOutput(); err != nil {
		t.Errorf("down: %v\n%s", err, out)
	}
	gone(t, lab.Dir)
}

// answers returns nil if the API server answers.
func answers(t *testing.T, c labdir.Cluster) error {
	t.Helper()
	return connect(t, c).List(t.Context(), &corev1.NodeList{})
}

func TestTwoLabsRunSideBySideAndEndWithTheirParent(t *testing.T) {
	first := start(t, filepath.Join(t.TempDir(), "lab"), "rome=10.200.0.0/16")
	second := start(t, filepath.Join(t.TempDir(), "lab"), "rome=10.200.0.0/16,no-liqo")
	first.stdin.Close()
	if err := first.cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, first.stderr)
	}
	gone(t, first.Dir)
	if now := second.status(t); now.Health[0].APIServer != "running" {
		t.Errorf("the second lab: %+v", now)
	}
	second.stdin.Close()
	if err := second.cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, second.stderr)
	}
	gone(t, second.Dir)
}

func TestAKilledLabLeavesNothing(t *testing.T) {
	lab := start(t, filepath.Join(t.TempDir(), "lab"), "rome=10.200.0.0/16,no-liqo")
	if err := lab.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if out, err := command(t, "down", "--dir", lab.Dir).CombinedOutput(); err != nil {
		t.Errorf("down: %v\n%s", err, out)
	}
	gone(t, lab.Dir)
}

func TestAKilledLabIsCleanedUpAlsoWithoutACommand(t *testing.T) {
	lab := start(t, filepath.Join(t.TempDir(), "lab"), "rome=10.200.0.0/16,no-liqo")
	if err := lab.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(stopTimeout); time.Now().Before(deadline); time.Sleep(stopInterval) {
		if _, err := os.Stat(lab.Dir); errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	gone(t, lab.Dir)
}

func TestALabThatCannotStartSaysWhyAndLeavesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lab")
	// Liqo's IPAM can't reserve the external network, because the service network overlaps it.
	clusters := []string{"--cluster=rome=10.200.0.0/16,service=10.64.0.0/12", "--cluster=milan=10.200.0.0/16"}
	build(t, clusters...)
	out, err := command(t, append([]string{"up", "--dir", dir}, clusters...)...).CombinedOutput()
	if err == nil {
		t.Error("it started")
	}
	for _, part := range []string{
		"cluster rome: liqo-ipam and liqo-controller-manager",
		"failed to acquire external-cidr",
	} {
		if !strings.Contains(string(out), part) {
			t.Errorf("it does not say %q:\n%s", part, out)
		}
	}
	gone(t, dir)
}
