package peerings

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// use is what a gateway's pod has used since its start, and the memory that it uses now.
type use struct{ seconds, megabytes, packets, bytes float64 }

// uses records what the gateway of Rome's shortcut uses while something happens, with all packets of its tunnel.
func uses(t *testing.T, lab *acctest.RealLab, load string, happens func()) {
	t.Helper()
	before, began := useOf(t, lab), time.Now()
	happens()
	after, took := useOf(t, lab), time.Since(began).Seconds()
	lab.Record(t, fmt.Sprintf("BenchmarkGateway/load=%s 1 %.3f cores %.1f MB %.2f packets/s %.0f bytes/s", load,
		(after.seconds-before.seconds)/took, after.megabytes,
		(after.packets-before.packets)/took, (after.bytes-before.bytes)/took))
}

// useOf adds up the programs in the gateway's pod, as the machine's kernel sees them. All that passes its eth0 is
// WireGuard's.
func useOf(t *testing.T, lab *acctest.RealLab) (sum use) {
	t.Helper()
	var pods corev1.PodList
	acctest.Must(t, lab.Client(t, "rome").List(t.Context(), &pods, client.InNamespace("liqo-tenant-milan"),
		client.MatchingLabels{"networking.liqo.io/component": "gateway"}))
	number := func(text string) float64 {
		value, err := strconv.ParseFloat(text, 64)
		acctest.Must(t, err)
		return value
	}
	read := func(process, file string) string {
		content, err := os.ReadFile("/proc/" + process + "/" + file)
		acctest.Must(t, err)
		return string(content)
	}
	for _, program := range []string{"liqo-gateway", "liqo-wireguard"} {
		process := strconv.Itoa(lab.ProcessIn(t, "rome", &pods.Items[0], program))
		const ticks, megabyte = 100, 1e6                        // a second, and bytes
		_, after, _ := strings.Cut(read(process, "stat"), ") ") // from the third field on
		fields := strings.Fields(after)
		sum.seconds += (number(fields[11]) + number(fields[12])) / ticks
		sum.megabytes += number(fields[21]) * float64(os.Getpagesize()) / megabyte

		_, eth0, _ := strings.Cut(read(process, "net/dev"), "eth0:") // the same for both
		fields = strings.Fields(eth0)
		sum.bytes, sum.packets = number(fields[0])+number(fields[8]), number(fields[1])+number(fields[9])
	}
	return sum
}
