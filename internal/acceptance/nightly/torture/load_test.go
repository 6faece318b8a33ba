package torture

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// crowd is what a leaf has that a shortcut does not concern.
type crowd struct{ secrets, pods, configurations int }

const (
	// mostMemory is the maximum that the memory of the provider may grow by because of a crowd, in bytes.
	mostMemory = 32 << 20
	// sizeOfConfiguration is more than the size of a Configuration of a crowd and what Liqo allocates for it.
	sizeOfConfiguration = 10 << 10
	// connectionsToLeaf is how often the commands of the measure connect to a leaf.
	connectionsToLeaf = 6
	// slackOfAnswers is how much the sizes of all answers to the commands of a measure may differ.
	slackOfAnswers = 500 << 10
)

func TestAccTortureByACrowdedLeafDoesNotFillTheMemoryOfTheProvider(t *testing.T) {
	lab := acctest.UseUp(t, acctest.Pair)
	size := crowd{secrets: 10_000, pods: 5_000, configurations: 500}
	if testing.Short() {
		size = crowd{secrets: 1_000, pods: 500, configurations: 50}
	}
	leaves := lab.ReachedAsAdministrator(t, "rome", "milan")
	direct := leaves["milan"]
	between, milan := acctest.ProxyFor(t, direct)
	leaves["milan"] = milan
	p := lab.Example(t, "credentials/token")
	p.SetJSON("TF_VAR_leaves", leaves)
	p.Write("shortcut.tf", acctest.ShortcutRomeMilan)
	p.Run("init")

	alone := measure(p, between)
	gather(t, direct, size)
	among := measure(p, between)
	t.Logf("alone: %s", alone)
	t.Logf("with %+v: %s", size, among)
	if grown := among.received - alone.received; grown >
		int64(size.configurations*sizeOfConfiguration*connectionsToLeaf+slackOfAnswers) {
		t.Errorf("the provider receives %d kB more from a crowded leaf:%s", grown>>10, acctest.Listed(among.paths))
	}
	if grown := among.peak - alone.peak; grown > mostMemory {
		t.Errorf("the provider needs %d MB more memory for a crowded leaf", grown>>20)
	}
}

// measurement is what a create, a plan and a destroy take.
type measurement struct {
	received int64          // by the provider, in bytes
	paths    map[string]int // bytes by path
	peak     int64          // memory of the provider, in bytes
}

// String returns the sizes.
func (m measurement) String() string {
	return fmt.Sprintf("%d kB received, at most %d MB of memory", m.received>>10, m.peak>>20)
}

// measure creates the shortcut, plans again and destroys it, each with a process of the provider of its own.
func measure(p *acctest.Project, between *clustertest.Proxy) measurement {
	p.T.Helper()
	m := measurement{paths: map[string]int{}}
	before := between.Received()
	for _, args := range [][]string{
		{"apply", "-auto-approve"}, {"plan", "-detailed-exitcode"}, {"destroy", "-auto-approve"},
	} {
		end := attach(p)
		p.Run(args...)
		m.peak = max(m.peak, end())
	}
	for path, count := range between.Received() {
		m.paths[path] = count - before[path]
	}
	m.received = int64(acctest.Total(m.paths))
	return m
}

// attachment is what the provider prints when it waits for a debugger.
var attachment = regexp.MustCompile(`TF_REATTACH_PROVIDERS='(.*)'`)

// withHost is the address of the provider.
var withHost = regexp.MustCompile(`"[^"/]+/leafmesh/liqo"`)

// attach starts the provider as for a debugger, so that the test can wait for its process. The result ends it, and
// returns the most memory that it has used, in bytes.
func attach(p *acctest.Project) (end func() int64) {
	p.T.Helper()
	mirror, err := acctest.BuiltProvider()
	if err != nil {
		p.T.Fatal(err)
	}
	programs, err := filepath.Glob(filepath.Join(mirror, "*", "leafmesh", "liqo", "*", "*", "terraform-provider-liqo*"))
	if err != nil || len(programs) == 0 { // it has the same program for each registry
		p.T.Fatalf("the mirror has %v (%v)", programs, err)
	}
	provider := exec.CommandContext(context.WithoutCancel(p.T.Context()), programs[0], "-debug")
	provider.Env = append(slices.Clone(p.Env), "GOGC=") // as for users; these tests collect garbage less often
	stdout, err := provider.StdoutPipe()
	if err != nil {
		p.T.Fatal(err)
	}
	if err := provider.Start(); err != nil {
		p.T.Fatal(err)
	}
	stop := func() {
		_ = provider.Process.Signal(syscall.SIGINT) // an error means that it has ended
		_, _ = io.Copy(io.Discard, stdout)
		_ = provider.Wait() // it was told to end
	}
	p.T.Cleanup(stop)
	var how []string
	for lines := bufio.NewScanner(stdout); how == nil && lines.Scan(); {
		how = attachment.FindStringSubmatch(lines.Text())
	}
	if how == nil {
		p.T.Fatal("the provider does not print how to attach to it")
	}
	// Without the host, Terraform and OpenTofu each add their own.
	p.Set("TF_REATTACH_PROVIDERS", withHost.ReplaceAllString(how[1], `"leafmesh/liqo"`))
	return func() int64 {
		defer stop()
		p.Set("TF_REATTACH_PROVIDERS", "")
		return peakOf(p.T, provider.Process.Pid)
	}
}

// residentPeak is the largest resident size in the kernel's description of a process. What the kernel reports after its
// end is no less than the size of the process that has started it.
var residentPeak = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)

// peakOf returns the most memory that a running process has used, in bytes.
func peakOf(t *testing.T, pid int) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	found := residentPeak.FindSubmatch(status)
	if found == nil {
		t.Fatalf("the kernel does not report the memory of the provider:\n%s", status)
	}
	kibibytes, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kibibytes << 10
}

// gather puts a crowd into a leaf. Nobody removes it again.
func gather(t *testing.T, to acctest.Leaf, size crowd) {
	t.Helper()
	meta := func(kind string, i int) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: "crowd", Name: fmt.Sprintf("%s-%d", kind, i)}
	}
	secret := make([]byte, 4<<10)
	_, _ = rand.Read(secret) // never fails; API servers compress their answers, and random data stays as large
	var all []client.Object
	for i := range size.secrets {
		all = append(all, &corev1.Secret{ObjectMeta: meta("secret", i), Data: map[string][]byte{"data": secret}})
	}
	for i := range size.pods {
		all = append(all, &corev1.Pod{ObjectMeta: meta("pod", i), Spec: corev1.PodSpec{
			NodeName: "elsewhere", Containers: []corev1.Container{{Name: "one", Image: "example.com/one"}},
		}})
	}
	for i := range size.configurations {
		id := liqov1beta1.ClusterID(fmt.Sprintf("crowd-%d", i))
		all = append(all, forge.Configuration(string(id), "crowd", id,
			[]string{fmt.Sprintf("10.%d.%d.0/28", i/250, i%250)}, fmt.Sprintf("172.%d.%d.0/28", 16+i/250, i%250)))
	}
	config := to.Config()
	config.QPS = -1 // the usual limit would take a quarter of an hour
	c, err := client.New(config, client.Options{Scheme: cluster.NewScheme()})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Create(t.Context(), acctest.NamespaceNamed("crowd")); err != nil {
		t.Fatal(err)
	}
	var creating errgroup.Group
	creating.SetLimit(16)
	for _, object := range all {
		creating.Go(func() error { return c.Create(t.Context(), object) })
	}
	if err := creating.Wait(); err != nil {
		t.Fatal(err)
	}
}
