package bench

import "testing"

// BenchmarkConnect measures what joins leaves, and takes them apart again. liqoctl waits until they are connected, as
// the provider does.
//
//   - ns/op is the whole of one `terraform apply`, with the plan that it makes first. For one shortcut, the goal is 0.5
//     of `liqoctl network connect --gw-server-service-type NodePort --wait`. For ten between five leaves, it is 0.12 of
//     ten runs of it one after the other, and 0.5 of ten at once. Five clusters share the machine: what their API
//     servers need for Liqo's controllers is the same for both.
//   - create-sec is the time from Terraform's message that it begins to create to the one that it has created. For one
//     shortcut, the goal is 0.3 of the same run of liqoctl.
//   - destroy-sec is the whole of one `terraform destroy`. liqoctl's is `liqoctl network reset --skip-confirm` for one
//     pair after the other and then deleting what that leaves, tenant namespaces and ForeignClusters, in all clusters
//     at once, until they are gone. Kubernetes waits 5 s before it looks into a namespace that is deleted. The goal for
//     ten shortcuts is 0.5. For one, it is left out: it is mostly this wait, which a slow create before has shortened.
func BenchmarkConnect(b *testing.B) {
	on := startLeaves(b, 5)
	ten := mesh(on.names)
	for _, c := range []struct {
		name   string
		atOnce int // runs of liqoctl
		pairs  []pair
	}{
		{"shortcuts=1", 1, ten[:1]},
		{"shortcuts=10", 1, ten},
		{"shortcuts=10-at-once", len(ten), ten},
	} {
		ok := b.Run(c.name, func(b *testing.B) {
			ours := newTerraform(b, on.Kubeconfig)
			ours.choose(b, c.pairs...)
			contest(b, func(b *testing.B) {
				b.Helper()
				messages, took := timed(b, 0, ours.Command(ctx, "apply", "-auto-approve", "-json"))
				report(b, took)
				b.ReportMetric(creation(b, messages).Seconds(), "create-sec")
				if removed := ours.destroy(b); len(c.pairs) > 1 {
					b.ReportMetric(removed.Seconds(), "destroy-sec")
				}
			}, func(b *testing.B) {
				b.Helper()
				took := connect(b, on.Kubeconfig, c.atOnce, c.pairs...)
				report(b, took)
				b.ReportMetric(took.Seconds(), "create-sec")
				if removed := reset(b, on.Kubeconfig, c.pairs...) + on.clear(b); len(c.pairs) > 1 {
					b.ReportMetric(removed.Seconds(), "destroy-sec")
				}
			})
		})
		if !ok {
			b.FailNow()
		}
	}
	on.nothingIsLeft(b)
}
