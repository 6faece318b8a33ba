package peerings

import (
	"encoding/json"
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

// useOf adds up the programs in the network of the gateway's pod, as the machine's kernel sees them. All that passes
// its eth0 is WireGuard's.
func useOf(t *testing.T, lab *acctest.RealLab) (sum use) {
	t.Helper()
	var pods corev1.PodList
	acctest.Must(t, lab.Client(t, "rome").List(t.Context(), &pods, client.InNamespace("liqo-tenant-milan"),
		client.MatchingLabels{"networking.liqo.io/component": "gateway"}))
	described, err := acctest.Output(
		acctest.LabProgram, "where", "rome/"+pods.Items[0].Namespace+"/"+pods.Items[0].Name, "--dir", lab.Dir)
	var place struct{ PID int }
	if err == nil {
		err = json.Unmarshal([]byte(described), &place)
	}
	acctest.Must(t, err)
	network := func(process string) string {
		link, _ := os.Readlink("/proc/" + process + "/ns/net") // the process may be gone
		return link
	}
	number := func(text string) float64 {
		value, err := strconv.ParseFloat(text, 64)
		acctest.Must(t, err)
		return value
	}
	held := strconv.Itoa(place.PID)
	processes, err := os.ReadDir("/proc")
	acctest.Must(t, err)
	for _, process := range processes {
		name, err := os.ReadFile("/proc/" + process.Name() + "/comm")
		if err != nil || network(process.Name()) != network(held) || !strings.HasPrefix(string(name), "liqo-") ||
			strings.HasPrefix(string(name), "liqo-pod") {
			continue
		}
		const ticks, megabyte = 100, 1e6 // a second, and bytes
		stat, err := os.ReadFile("/proc/" + process.Name() + "/stat")
		acctest.Must(t, err)
		_, after, _ := strings.Cut(string(stat), ") ") // from the third field on
		fields := strings.Fields(after)
		sum.seconds += (number(fields[11]) + number(fields[12])) / ticks
		sum.megabytes += number(fields[21]) * float64(os.Getpagesize()) / megabyte
	}
	devices, err := os.ReadFile("/proc/" + held + "/net/dev")
	acctest.Must(t, err)
	_, eth0, _ := strings.Cut(string(devices), "eth0:")
	fields := strings.Fields(eth0)
	sum.bytes, sum.packets = number(fields[0])+number(fields[8]), number(fields[1])+number(fields[9])
	return sum
}
