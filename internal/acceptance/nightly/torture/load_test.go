package torture

import (
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccTortureByACrowdedLeafDoesNotFillTheMemoryOfTheProvider(t *testing.T) {
	lab := acctest.UseUp(t, acctest.Pair)
	configurations := acctest.OrShort(500, 50)
	secrets, pods := 20*configurations, 10*configurations
	leaves := lab.ReachedAsAdministrator(t, "rome", "milan")
	between, milan := acctest.ProxyFor(t, leaves["milan"])
	leaves["milan"] = milan
	p := lab.Example(t, "credentials/token")
	p.SetJSON("TF_VAR_leaves", leaves)
	p.Write("shortcut.tf", acctest.ShortcutRomeMilan)
	p.Run("init")
	commands := [][]string{{"apply", "-auto-approve"}, {"plan", "-detailed-exitcode"}, {"destroy", "-auto-approve"}}
	const connections = 6 // of all of them to a leaf
	measure := func() (received map[string]int, memory int64) {
		before := between.Received()
		for _, args := range commands {
			end := attach(p)
			p.Run(args...)
			memory = max(memory, end())
		}
		received = acctest.Since(before, between.Received())
		t.Logf("%d kB received, at most %d MB of memory", acctest.Total(received)>>10, memory>>20)
		return received, memory
	}
	receivedAlone, memoryAlone := measure()

	t.Logf("%d Secrets, %d pods and %d Configurations come, which the shortcut does not concern.", secrets, pods,
		configurations)
	named := func(kind string, i int) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: "crowd", Name: fmt.Sprintf("%s-%d", kind, i)}
	}
	secret := make([]byte, 4<<10)
	_, _ = rand.Read(secret) // never fails; API servers compress their answers, and random data stays as large
	var crowd []client.Object
	for i := range secrets {
		crowd = append(crowd, &corev1.Secret{ObjectMeta: named("secret", i), Data: map[string][]byte{"data": secret}})
	}
	for i := range pods {
		crowd = append(crowd, &corev1.Pod{ObjectMeta: named("pod", i), Spec: corev1.PodSpec{
			NodeName: "elsewhere", Containers: []corev1.Container{{Name: "one", Image: "example.com/one"}},
		}})
	}
	for i := range configurations {
		id := liqov1beta1.ClusterID(fmt.Sprintf("crowd-%d", i))
		crowd = append(crowd, forge.Configuration(string(id), "crowd", id,
			[]string{fmt.Sprintf("10.%d.%d.0/28", i/250, i%250)}, fmt.Sprintf("172.%d.%d.0/28", 16+i/250, i%250)))
	}
	c := lab.Client(t, "milan")
	acctest.Must(t, c.Create(t.Context(), acctest.NamespaceNamed("crowd")))
	var creating errgroup.Group
	creating.SetLimit(16)
	for _, object := range crowd {
		creating.Go(func() error { return c.Create(t.Context(), object) })
	}
	acctest.Must(t, creating.Wait())

	received, memory := measure()
	// A Configuration and what Liqo allocates for it have less than 10 kB.
	const sizeOfConfiguration, slack = 10 << 10, 500 << 10
	if grown := acctest.Total(received) - acctest.Total(receivedAlone); grown >
		configurations*sizeOfConfiguration*connections+slack {
		t.Errorf("the provider receives %d kB more from a crowded leaf:%s", grown>>10, acctest.Listed(received))
	}
	if grown := memory - memoryAlone; grown > 32<<20 {
		t.Errorf("the provider needs %d MB more memory for a crowded leaf", grown>>20)
	}
}

// attach lets the project attach to a provider whose process the test can look at. The result ends it, and returns the
// most memory that it has used, in bytes.
func attach(p *acctest.Project) (end func() int64) {
	p.T.Helper()
	// As for users; these tests collect garbage less often.
	provider := acctest.StartProvider(p.T, p.Dir, append(slices.Clone(p.Env), "GOGC="))
	p.T.Cleanup(provider.Stop)
	p.Set("TF_REATTACH_PROVIDERS", provider.Reattach)
	return func() int64 {
		p.T.Helper()
		defer provider.Stop()
		p.Set("TF_REATTACH_PROVIDERS", "")
		// What the kernel reports after the end of a process is no less than the size of the one that has started it.
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", provider.PID))
		acctest.Must(p.T, err)
		_, peak, _ := strings.Cut(string(status), "VmHWM:")
		kibibytes, err := strconv.ParseInt(strings.Fields(peak + " none")[0], 10, 64)
		if err != nil {
			p.T.Fatalf("the memory of the provider: %v\n%s", err, status)
		}
		return kibibytes << 10
	}
}
