package bench

import (
	"fmt"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/fleet"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
)

// BenchmarkFleet measures the life of the shortcuts of a large fleet. A hundred API servers do not fit on one machine.
// So these leaves are HTTP servers in this process, with a stand-in for Liqo's controllers that reacts at once. Their
// own work takes processors' time, too, so ns/op is that of a busy machine. Compare the processors' time.
//
//   - terraform-cpu-sec and provider-cpu-sec are the processors' time of both programs. The goal is that the provider's
//     grows with the shortcuts at most in proportion, and in a plan without changes by 4 ms for each further one.
//   - requests is their number to the leaf with most of them. The goal is 12 for a plan without changes, in each fleet.
//   - connections is the number of those to all leaves.
//   - MB is the most that the provider had resident. The goal is 3 for each further leaf in a plan without changes, and
//     at most in proportion to the shortcuts.
func BenchmarkFleet(b *testing.B) {
	version, err := binaries.DefaultLiqo()
	if err != nil {
		b.Fatal(err)
	}
	source, err := binaries.LiqoSource(ctx, version)
	if err != nil {
		b.Fatal(err)
	}
	installation, err := fleet.Load(kube.LoadChart(source), version)
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []struct{ leaves, shortcuts int }{
		{10, 45}, {30, 45}, {100, 50}, {30, 435}, {100, 435}, {100, 1000},
	} {
		b.Run(fmt.Sprintf("leaves=%d/shortcuts=%d", size.leaves, size.shortcuts), func(b *testing.B) {
			names := make([]string, size.leaves)
			for i := range names {
				names[i] = fmt.Sprintf("leaf%03d", i+1)
			}
			leaves, err := installation.Start(fleet.Disjoint(names, version))
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() {
				if err := leaves.Close(); err != nil {
					b.Error(err)
				}
			})
			measureLife(b, leaves, tournament(names, size.shortcuts))
		})
	}
}

// measureLife measures what users do with the shortcuts between these pairs, in the order of a life.
func measureLife(b *testing.B, leaves *fleet.Fleet, pairs []pair) {
	b.Helper()
	kubeconfig := writeKubeconfig(b, leaves.Kubeconfig)
	shortcuts, views := newTerraform(b, kubeconfig), newTerraform(b, kubeconfig)
	shortcuts.choose(b, pairs...)
	step := func(name string, terraform *terraform, exit int, args ...string) {
		ok := b.Run(name+"/by=provider", func(b *testing.B) {
			before, connected := leaves.Requests(), leaves.Connections()
			used := terraform.attached(b, exit, args...)
			report(b, used.took)
			b.ReportMetric(used.terraform.Seconds(), "terraform-cpu-sec")
			b.ReportMetric(used.provider.Seconds(), "provider-cpu-sec")
			leafOf := func(r fleet.Request) string { return r.Leaf }
			b.ReportMetric(mostRequests(before, leaves.Requests(), leafOf), "requests")
			b.ReportMetric(float64(leaves.Connections()-connected), "connections")
			b.ReportMetric(used.megabytes, "MB")
		})
		if !ok {
			b.FailNow()
		}
	}
	const changes = 2 // the exit code of a plan that has some
	step("apply", shortcuts, 0, "apply", "-auto-approve")
	step("plan", shortcuts, 0, "plan", "-detailed-exitcode")
	step("plan-without-refresh", shortcuts, 0, "plan", "-detailed-exitcode", "-refresh=false")
	step("plan-target", shortcuts, 0, "plan", "-detailed-exitcode",
		fmt.Sprintf("-target=liqo_shortcut.mesh[%q]", pairs[0]))
	edit(b, kubeconfig, pairs[0])
	step("plan-of-a-drift", shortcuts, changes, "plan", "-detailed-exitcode")
	step("topology", views, 0, "plan", "-var=view=topology")
	step("destroy", shortcuts, 0, "destroy", "-auto-approve")
}

// edit changes the MTU of a pair's gateway behind Terraform's back.
func edit(b *testing.B, kubeconfig string, p pair) {
	b.Helper()
	gateway := &networkingv1beta1.GatewayServer{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-" + p.Client, Name: p.Client},
	}
	mtu := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"mtu":1300}}`))
	if err := newClient(b, kubeconfig, p.Server).Patch(ctx, gateway, mtu); err != nil {
		b.Fatal(err)
	}
}

// tournament returns pairs of leaves such that the number of pairs is nearly the same for each leaf: each leaf is in
// one pair of each round, and no pair is in two. The number of leaves is even.
func tournament(leaves []string, pairs int) []pair {
	var played []pair
	last := len(leaves) - 1 // it stays where it is, and the others go round
	for round := 0; len(played) < pairs; round++ {
		for i := range len(leaves) / 2 {
			one, other := leaves[(round+i)%last], leaves[(round-i+last)%last]
			if i == 0 {
				other = leaves[last]
			}
			played = append(played, pair{one, other})
		}
	}
	return played[:pairs]
}

func TestTheLeavesOfAFleetAreInAsManyPairs(t *testing.T) {
	leaves := []string{"a", "b", "c", "d", "e", "f"}
	for count, each := range map[int]int{3: 1, 6: 2, 15: 5} {
		seen, of := map[pair]bool{}, map[string]int{}
		for _, p := range tournament(leaves, count) {
			if seen[p] || seen[pair{p.Server, p.Client}] || p.Client == p.Server {
				t.Errorf("%d pairs: %s is not another pair", count, p)
			}
			seen[p] = true
			of[p.Client]++
			of[p.Server]++
		}
		for _, leaf := range leaves {
			if of[leaf] != each {
				t.Errorf("%d pairs: %s is in %d, not %d", count, leaf, of[leaf], each)
			}
		}
	}
}
